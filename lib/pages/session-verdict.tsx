import type { Session } from "../sessions/session.ts";
import { Said, When } from "./format.tsx";
import type { Html, Shown } from "./shown.ts";

/** Names of judges that say themselves who they are. */
const JUDGES: Record<string, string> = {
  "steward-rules": "by the rules",
  "steward-fast-path": "by its own word and its merged work",
  "steward-judge": "by the judging agent",
  "steward-cache": "from the memory",
};

/** Who came to a verdict, in words where it is one of ours. */
export function JudgedBy({ of }: { of: string }): Html {
  if (Object.hasOwn(JUDGES, of)) return <>{JUDGES[of]}</>;
  if (of.startsWith("steward-ask:")) return <>by its own word, when it was asked</>;
  if (of.startsWith("jev:")) {
    return (
      <>
        by the calibrated judge <Said text={of.slice("jev:".length)} />
      </>
    );
  }
  return (
    <>
      by <Said text={of} />
    </>
  );
}

type Props = { session: Session; shown: Shown };

/** What the steward made of a session: why it ended it, or why somebody should look at it. */
export function StewardNote({ session, shown }: Props): Html {
  const flag = session.wrapupFlag;
  if (session.status === "ended" && session.verdict) {
    const { verdict, judgedBy, note, at } = session.verdict;
    return (
      <div class="note">
        <p>
          <strong>Its steward ended it as {verdict}</strong>, <JudgedBy of={judgedBy} />,{" "}
          <When at={at} now={shown.at} />.
        </p>
        {note !== "" && (
          <p>
            <Said text={note} />
          </p>
        )}
      </div>
    );
  }
  if (!flag) return <></>;
  return (
    <div class="note warn">
      <p>
        <strong>
          {session.status === "ended"
            ? "While it went on somebody was to look at it"
            : "Somebody should look at it"}
        </strong>
        : its steward takes it to {flag.verdict === "needs-input" ? "wait for a person" : "be blocked"},{" "}
        <JudgedBy of={flag.judgedBy} />, <When at={flag.at} now={shown.at} />.
      </p>
      {flag.note !== "" && (
        <p>
          <Said text={flag.note} />
        </p>
      )}
    </div>
  );
}

/** The same in a list, in a word. */
export function Marked({ session }: { session: Session }): Html {
  if (session.status === "ended") {
    return session.verdict ? <span class="status">{session.verdict.verdict}, by its steward</span> : <></>;
  }
  return session.wrapupFlag ? (
    <span class="status status-warning">flagged: {session.wrapupFlag.verdict}</span>
  ) : (
    <></>
  );
}
