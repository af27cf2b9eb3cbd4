import type { Proposal } from "../steward/rules/proposals.ts";
import type { RelabelRow } from "../steward/rules/relabel.ts";
import { printableInLine } from "../core/printable.ts";
import { count, Said } from "./format.tsx";
import { Short } from "./runs-words.tsx";
import type { Html, Shown } from "./shown.ts";

export type ShownWord = Proposal & {
  /** Of the session; null where it is gone. */
  name: string | null;
  isLive: boolean;
  /** Word for word what it would be told. */
  says: string;
  sentBy: string | null;
};

type Props = { runId: string; words: readonly ShownWord[]; shown: Shown };

/** What may be said to sessions that repeat themselves or stand still; nobody but a person sends it. */
export function Words({ runId, words, shown }: Props): Html {
  const proposed = words.filter(({ suppressed }) => !suppressed);
  const observed = words.filter(({ suppressed }) => suppressed);
  return (
    <section class="stack" aria-labelledby="words">
      <div class="titled">
        <h2 id="words">Words to send</h2>
        <p class="quiet small">
          Sessions that repeat themselves or stand still. Nothing is sent by itself: a person sends it, once
          for each report.
        </p>
      </div>
      {proposed.length > 0 && <WordCards runId={runId} words={proposed} shown={shown} />}
      {observed.length > 0 && (
        <>
          <h3>Only seen, in sessions of persons</h3>
          <WordCards runId={runId} words={observed} shown={shown} />
        </>
      )}
    </section>
  );
}

const WordCards = ({ runId, words, shown }: Props): Html => (
  <ul class="cards">
    {words.map((word) => (
      <li class="card row">
        <div class="what">
          <a href={`/steward/sessions/${word.sessionId}`}>
            <Short text={word.name ?? word.sessionId} />
          </a>
          <p class="quiet">
            {word.cause === "loop" ? "repeats itself" : "stands still"}
            {word.reason !== "" && (
              <>
                : <Said text={word.reason} />
              </>
            )}
          </p>
          <p class="small">
            “<Said text={word.says} />”
          </p>
        </div>
        <div class="side">
          <Send runId={runId} word={word} shown={shown} />
        </div>
      </li>
    ))}
  </ul>
);

function Send({ runId, word, shown }: { runId: string; word: ShownWord; shown: Shown }): Html {
  const { sessionId, name, sentBy, isLive } = word;
  if (sentBy !== null) {
    return (
      <>
        <span class="status status-ok">sent</span>
        <span class="quiet">
          by <Said text={sentBy} />
        </span>
      </>
    );
  }
  if (!isLive) return <span class="status">has ended</span>;
  if (!shown.mayDecide) return <span class="quiet">not sent</span>;
  return (
    <form method="post" action={`/steward/session-reports/${runId}/nudge`}>
      <input type="hidden" name="formToken" value={shown.formToken} />
      <input type="hidden" name="session" value={sessionId} />
      <button>
        Send it<span class="visually-hidden"> to {printableInLine(name ?? sessionId)}</span>
      </button>
    </form>
  );
}

const WHY: Record<string, string> = {
  "own-pr-merged": "its own pull request is merged",
  "own-pr-open": "its own pull request is open",
  "pending-text": "its last words say that something is left",
  "last-turn-errored": "its last turn failed",
  "never-completed-a-turn": "it never completed a turn",
  "shared-worktree-merged": "its worktree’s pull request is merged, and may be another’s",
  "opened-state-unknown": "it opened pull requests of which no more is known",
  "prs-recorded-state-unknown": "how its pull requests stand is not known",
  "no-pr": "it left no pull request, which says nothing",
};

const RELABELS_SHOWN = 20;

/** Sessions that ended of themselves, and what seems to have come of them. */
export function Relabels({ rows }: { rows: readonly RelabelRow[] }): Html {
  const rest = rows.slice(RELABELS_SHOWN);
  return (
    <section class="sheet" aria-labelledby="relabel">
      <h2 id="relabel">Ended without a verdict</h2>
      <p class="quiet small">What seems to have come of them. It is a proposal, and nothing is written.</p>
      <RelabelList rows={rows.slice(0, RELABELS_SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary>{count(rest.length)} more</summary>
          <RelabelList rows={rest} />
        </details>
      )}
    </section>
  );
}

const RelabelList = ({ rows }: { rows: readonly RelabelRow[] }): Html => (
  <ul class="list">
    {rows.map(({ sessionId, label, proposedVerdict, code, prs }) => (
      <li>
        <a href={`/steward/sessions/${sessionId}`}>
          <Short text={label ?? sessionId} />
        </a>
        : <strong>{proposedVerdict}</strong>{" "}
        <span class="quiet">
          – {WHY[code] ?? code.replaceAll("-", " ")}
          {prs.length > 0 && ` (${prs.map((pr) => `#${pr}`).join(", ")})`}
        </span>
      </li>
    ))}
  </ul>
);
