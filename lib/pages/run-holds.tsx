import { printable } from "../core/printable.ts";
import { Said, Status, When } from "./format.tsx";
import type { ShownRun } from "./run.tsx";
import { HOLD_KINDS, MemoLink } from "./runs-words.tsx";
import type { Html, Shown } from "./shown.ts";

/** Every hold that the run has had, and what was said of it. */
export function Holds({ run, shown }: { run: ShownRun; shown: Shown }): Html {
  if (run.holds.length === 0) return <></>;
  return (
    <section class="sheet" aria-labelledby="holds">
      <h2 id="holds">Holds</h2>
      <ol class="list">
        {run.holds.map((hold) => (
          <li>
            <a href={`/steward/holds/${hold.holdId}`}>{HOLD_KINDS[hold.kind]}</a>
            {hold.revision > 1 && `, revision ${hold.revision}`}, opened{" "}
            <When at={hold.openedAt} now={shown.at} />
            {hold.decision === null ? (
              <>
                {" "}
                <Status of={run.settledAt === null ? "open" : "cancelled"} />
              </>
            ) : (
              <>
                {" "}
                – <strong>{hold.decision.verdict.replaceAll("_", " ")}</strong> by{" "}
                <Said text={hold.decision.username} />, <When at={hold.decision.at} now={shown.at} />
                {hold.takenBack && ", taken back"}
                {hold.decision.reason !== null && (
                  <blockquote class="quiet">
                    <Said text={hold.decision.reason} />
                  </blockquote>
                )}
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What it would write, or has written. */
export function Proposal(props: {
  proposal: NonNullable<ShownRun["proposal"]>;
  guards: ShownRun["guards"];
}): Html {
  const { proposal, guards } = props;
  const { target } = proposal;
  return (
    <section class="sheet" aria-labelledby="proposal">
      <h2 id="proposal">Its proposal</h2>
      <p>
        <strong>
          <Said text={proposal.title} />
        </strong>{" "}
        <span class="quiet">
          {target.kind === "create" ? (
            "a new memo"
          ) : (
            <>
              changes <MemoLink memoId={target.memoId} title={null} />, made on version {target.base}
            </>
          )}
          {" · "}
          <code>{proposal.sha256.slice(0, 19)}…</code>
        </span>
      </p>
      {guards.length > 0 && (
        <ul class="list">
          {guards.map(({ guard, passed, message }) => (
            <li>
              <Status of={passed ? "ok" : "failed"} /> <code>{guard}</code>{" "}
              <span class="quiet">
                <Said text={message} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Its text</summary>
        <pre tabindex={0} class="tall">
          <code dir="auto">{printable(proposal.text)}</code>
        </pre>
      </details>
    </section>
  );
}
