/** The parts that every page is made of. Nothing in this folder fetches or keeps data. */
import type { ButtonHTMLAttributes, ReactNode } from "react";
import type { Entity } from "./types.ts";

interface PageProps {
  children: ReactNode;
  /** What whoever is signed in may act for. */
  entities?: Entity[];
  current?: Entity;
  onSwitch?: (entity: Entity) => void;
  onSignIn?: (() => void) | undefined;
  onSignOut?: () => void;
}

export function Page({ children, entities, current, onSwitch, onSignIn, onSignOut }: PageProps) {
  return (
    <>
      <header className="bar">
        <a className="logo" href="/">
          <Boat /> <span>Paperboat</span>
        </a>
        <nav>
          {entities && (
            <select
              aria-label="Account"
              value={current?.id}
              onChange={({ target }) => {
                const chosen = entities.find(({ id }) => id === target.value);
                if (chosen) onSwitch?.(chosen);
              }}
            >
              {entities.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
          {onSignIn && (
            <Button look="quiet" onClick={onSignIn}>
              Sign in
            </Button>
          )}
          {onSignOut && (
            <Button look="quiet" onClick={onSignOut}>
              Sign out
            </Button>
          )}
        </nav>
      </header>
      <main>{children}</main>
      <footer>An example app of backend-billing. It sends no letters.</footer>
    </>
  );
}

function Boat() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M12 3 7.4 13.2 12 15z" opacity=".45" />
      <path d="M12 3l4.6 10.2L12 15z" opacity=".65" />
      <path d="M.5 10.5 12 15v6H5z" opacity=".85" />
      <path d="M23.5 10.5 12 15v6h7z" />
    </svg>
  );
}

export function Hero({ onStart }: { onStart: () => void }) {
  return (
    <div className="hero">
      <div>
        <h1>Letters people look forward to.</h1>
        <p>
          Write to your readers without the noise. Paperboat carries your words to every inbox and
          brings the answers back.
        </p>
        <Button onClick={onStart}>Start writing</Button>
      </div>
      <Boat />
    </div>
  );
}

interface SectionProps {
  title: string;
  hint?: string;
  /** Whether this is what the page is about. */
  main?: boolean;
  children: ReactNode;
}

export function Section({ title, hint, main = false, children }: SectionProps) {
  const Heading = main ? "h1" : "h2";
  return (
    <section>
      <div className="heading">
        <Heading>{title}</Heading>
        {hint && <p>{hint}</p>}
      </div>
      {children}
    </section>
  );
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: "strong" | "plain" | "quiet";
  busy?: boolean;
}

export function Button({ look = "strong", busy = false, ...rest }: ButtonProps) {
  return <button type="button" {...rest} className={look} aria-busy={busy} />;
}

const bringIntoView = (shown: HTMLElement | null) => shown?.scrollIntoView({ block: "nearest" });

export function Notice({ tone, children }: { tone: "good" | "bad"; children: ReactNode }) {
  return (
    <p
      className={`notice ${tone}`}
      role={tone === "bad" ? "alert" : "status"}
      ref={tone === "bad" ? bringIntoView : null}
    >
      {children}
    </p>
  );
}

interface FailureProps {
  error: string;
  onRetry: (() => void) | undefined;
}

export function Failure({ error, onRetry }: FailureProps) {
  return (
    <div className="card empty" role="alert">
      <h2>That did not work</h2>
      <p>{error}</p>
      <Button look="plain" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

export function Loading() {
  return (
    <div className="card" aria-busy="true">
      <span className="unseen">Loading</span>
      <i className="bone short" />
      <i className="bone" />
      <i className="bone" />
    </div>
  );
}
