import { ConvexProvider, ConvexReactClient } from "convex/react";
import { Component, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { Failure, Page } from "../../ui/parts.tsx";
import { App } from "./app.tsx";
import "../../ui/styles.css";

const convex = new ConvexReactClient(import.meta.env.VITE_CONVEX_URL);

/** A query that fails throws where it is used, and would leave an empty page behind. */
class Boundary extends Component<{ children: ReactNode }> {
  state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  render() {
    if (!this.state.failed) return this.props.children;
    const retry = () => location.reload();
    return (
      <Page>
        <Failure error="Something went wrong on our side." onRetry={retry} />
      </Page>
    );
  }
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <ConvexProvider client={convex}>
    <Boundary>
      <App />
    </Boundary>
  </ConvexProvider>,
);
