/** The form to sign in with, or to sign up. */
import { Button, Notice } from "./parts.tsx";

interface SignInProps {
  isNew: boolean;
  busy: boolean;
  error: string | undefined;
  onSubmit: (form: Record<string, unknown>) => void;
  onSwitch: () => void;
}

export function SignIn({ isNew, busy, error, onSubmit, onSwitch }: SignInProps) {
  return (
    <form
      className="card door"
      // Not an `action`: React would empty the fields before the answer is here.
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(Object.fromEntries(new FormData(event.currentTarget)));
      }}
    >
      <h1>{isNew ? "Start writing" : "Welcome back"}</h1>
      {error && <Notice tone="bad">{error}</Notice>}
      {isNew && (
        <label>
          Name
          <input name="name" required autoComplete="name" />
        </label>
      )}
      <label>
        Email
        <input name="email" type="email" required autoComplete="email" />
      </label>
      <label>
        Password
        <input
          name="password"
          type="password"
          required
          minLength={isNew ? 8 : 1}
          autoComplete={isNew ? "new-password" : "current-password"}
        />
        {isNew && <small>At least 8 characters.</small>}
      </label>
      <Button type="submit" busy={busy} disabled={busy}>
        {isNew ? "Create account" : "Sign in"}
      </Button>
      <p>
        {isNew ? "Have an account already?" : "New here?"}{" "}
        <button type="button" className="link" onClick={onSwitch}>
          {isNew ? "Sign in" : "Create an account"}
        </button>
      </p>
    </form>
  );
}
