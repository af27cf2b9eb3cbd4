import { printableInLine } from "../core/printable.ts";
import { Said } from "./format.tsx";
import type { ShownRow } from "./session-report-rows.tsx";
import type { Html, Shown } from "./shown.ts";

const VERDICTS = ["done", "abandoned", "blocked", "needs-input", "active"] as const;

type Props = { runId: string; row: ShownRow; shown: Shown };

/** What a person says of a session that the steward leaves to people, and what was said already. */
export function Answer({ runId, row, shown }: Props): Html {
  const { said, judgedBy, verdict, label, sessionId } = row;
  const name = printableInLine(label ?? sessionId);
  if (said.length > 0) {
    return (
      <>
        {said.map(({ username, verdict: sees }) => (
          <p class="small">
            <Said text={username} /> {sees === verdict ? "agrees" : `sees it as ${sees}`}
          </p>
        ))}
      </>
    );
  }
  if (!shown.mayDecide) return <span class="nil">nobody yet</span>;
  const action = `/steward/session-reports/${runId}/disagree`;
  const hidden = (
    <>
      <input type="hidden" name="formToken" value={shown.formToken} />
      <input type="hidden" name="session" value={sessionId} />
    </>
  );
  return (
    <>
      {judgedBy !== null && (
        <form method="post" action={action}>
          {hidden}
          <input type="hidden" name="verdict" value={verdict ?? ""} />
          <button>
            Agree<span class="visually-hidden"> about {name}</span>
          </button>
        </form>
      )}
      <details>
        <summary>
          {judgedBy === null ? "Say what it is …" : "Disagree …"}
          <span class="visually-hidden"> about {name}</span>
        </summary>
        <form method="post" action={action} class="stack">
          {hidden}
          <label>
            It is{" "}
            <select name="verdict" required>
              <option value="">choose …</option>
              {VERDICTS.filter((each) => each !== verdict).map((each) => (
                <option value={each}>{each}</option>
              ))}
            </select>
          </label>
          <label>
            Because <input name="note" size={12} maxlength={500} autocomplete="off" />
          </label>
          <button>Put on record</button>
        </form>
      </details>
    </>
  );
}
