import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./ui/styles.css";

createRoot(document.getElementById("root") as HTMLElement).render(<App />);

// A page that comes back from the browser's cache shows what was before the checkout.
addEventListener("pageshow", (event) => event.persisted && location.reload());
