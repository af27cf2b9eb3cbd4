import { Said, When } from "./format.tsx";
import { HOLD_KINDS } from "./hold-words.ts";
import type { HoldModel } from "./hold.tsx";
import { TextDiff } from "./text-diff.tsx";
import type { Html, Shown } from "./shown.ts";

/** Every hold of the run in its order, with what was said of it and why. */
export function HoldHistory({ model: { hold }, shown }: { model: HoldModel; shown: Shown }): Html {
  const { edited, proposal } = hold;
  return (
    <section class="sheet" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol class="history">
        {hold.holds.map(({ holdId, kind, revision, openedAt, decision, takenBack }) => (
          <li>
            <p>
              {holdId === hold.holdId ? (
                <strong>
                  {HOLD_KINDS[kind]} {revision}
                </strong>
              ) : (
                <a href={`/steward/holds/${holdId}`}>
                  {HOLD_KINDS[kind]} {revision}
                </a>
              )}{" "}
              opened <When at={openedAt} now={shown.at} />
              {holdId === hold.holdId && <span class="quiet"> – this one</span>}
            </p>
            {decision && (
              <p class="small">
                <Said text={decision.username} /> said{" "}
                <strong>{decision.verdict.replaceAll("_", " ")}</strong>{" "}
                <When at={decision.at} now={shown.at} />
                {takenBack && ", and took it back"}
                {decision.reason !== null && (
                  <>
                    : “<Said text={decision.reason} />”
                  </>
                )}
              </p>
            )}
          </li>
        ))}
      </ol>
      {edited && proposal && (
        <details>
          <summary>What the decider changed of the draft</summary>
          {edited.title !== proposal.title && (
            <p>
              Title: <del>{proposal.title}</del> <ins>{edited.title}</ins>
            </p>
          )}
          <TextDiff before={proposal.text} after={edited.text} />
        </details>
      )}
    </section>
  );
}
