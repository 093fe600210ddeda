import type { NextConfig } from "next";

const config: NextConfig = {
  // Loaded by Node and not bundled, so that pages and routes have one copy of it between them.
  serverExternalPackages: ["backend-billing"],
};

export default config;
