/** The way to send a letter, and how many sends are left for it. */
import { type FormEvent, useState } from "react";
import { count, day } from "./format.ts";
import { Button } from "./parts.tsx";
import type { Letter, Sends } from "./types.ts";

export function sendsLeft({ remaining, resetsAt }: Sends): string {
  return `${count(remaining, "send")} left${resetsAt === null ? "" : ` until ${day(resetsAt)}`}`;
}

interface LettersProps {
  busy: string | undefined;
  onSend: (letter: Letter) => Promise<boolean>;
}

/** A letter keeps its id until it was sent: whoever tries again sends it once. */
export function Letters({ busy, onSend }: LettersProps) {
  const [id, setId] = useState(() => crypto.randomUUID());
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const readers = Number(new FormData(form).get("readers"));
    if (!(await onSend({ id, readers }))) return;
    setId(crypto.randomUUID());
    form.reset();
  };
  return (
    <form className="card joined" onSubmit={send}>
      <label>
        Send to how many readers
        <input name="readers" type="number" required min={1} step={1} placeholder="100" />
      </label>
      <Button type="submit" look="plain" busy={busy === "send"} disabled={busy !== undefined}>
        Send letter
      </Button>
    </form>
  );
}
