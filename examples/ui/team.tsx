/** Who writes along, and the way to invite more. */
import { Button, Loading } from "./parts.tsx";
import type { Member } from "./types.ts";

interface TeamProps {
  members: Member[] | undefined;
  /** How many the plan has room for. */
  room: number | undefined;
  /** Whether the number of seats is still to follow. */
  waiting: boolean;
  busy: string | undefined;
  onInvite: (emails: string) => void;
  onRemove: (memberId: string) => void;
}

export function Team({ members, room, waiting, busy, onInvite, onRemove }: TeamProps) {
  if (!members) return <Loading />;
  return (
    <div className="card rows">
      {members.length === 0 && <p>You are alone so far.</p>}
      {members.map(({ id, email }) => (
        <div className="row" key={id}>
          <p>{email}</p>
          <Button
            look="quiet"
            aria-label={`Remove ${email}`}
            busy={busy === id}
            disabled={busy !== undefined}
            onClick={() => onRemove(id)}
          >
            Remove
          </Button>
        </div>
      ))}
      <form className="joined" action={(form) => onInvite(String(form.get("emails")))}>
        <label>
          Emails of whom you invite
          <input name="emails" required placeholder="grace@example.com, alan@example.com" />
        </label>
        <Button type="submit" look="plain" busy={busy === "invite"} disabled={busy !== undefined}>
          Invite
        </Button>
      </form>
      <p>Your plan has room for {room} members.</p>
      {waiting && <p role="status">Your bill follows in a moment.</p>}
    </div>
  );
}
