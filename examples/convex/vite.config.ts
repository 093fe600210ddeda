import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The look is in ../ui, which is to use this app's React.
export default defineConfig({
  plugins: [react()],
  resolve: { dedupe: ["react", "react-dom"] },
  server: { fs: { allow: [".."] } },
});
