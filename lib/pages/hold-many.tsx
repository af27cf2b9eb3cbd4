import { count, Said, Status } from "./format.tsx";
import { RejectReason } from "./hold-reason.tsx";
import type { Html, Shown } from "./shown.ts";

/** One of the holds that were chosen in the list. */
export type Chosen = {
  holdId: string;
  sha256: string;
  kind: "output" | "conflict" | "budget";
  open: boolean;
  title: string | null;
  isNew: boolean;
  words: number | null;
};
export type DoneRow = { holdId: string; title: string | null; outcome: string; detail?: string };

type RejectModel = { chosen: readonly Chosen[]; isMissing: boolean };

/** Which holds are about to be rejected, each with its size, and why. */
export function RejectManyPage({ chosen, isMissing }: RejectModel, shown: Shown): Html {
  const fit = chosen.filter(({ open, kind }) => open && kind !== "budget");
  const unfit = chosen.filter((hold) => !fit.includes(hold));
  return (
    <>
      <h1>
        Reject {count(fit.length)} {fit.length === 1 ? "hold" : "holds"}?
      </h1>
      {isMissing && <p class="note warn">A rejection needs a reason: choose one, or say it in words.</p>}
      {unfit.length > 0 && (
        <p class="note">
          {count(unfit.length)} of those you chose {unfit.length === 1 ? "is" : "are"} decided by now or
          cannot be rejected, and {unfit.length === 1 ? "stays" : "stay"} as{" "}
          {unfit.length === 1 ? "it is" : "they are"}.
        </p>
      )}
      {fit.length === 0 ? (
        <p>
          <a href="/steward/holds">Back to the holds</a>
        </p>
      ) : (
        <form method="post" action="/steward/holds/many" class="sheet">
          <input type="hidden" name="formToken" value={shown.formToken} />
          <ul class="cards">
            {fit.map(({ holdId, sha256, title, isNew, words }) => (
              <li class="card">
                <input type="hidden" name="hold" value={`${holdId} ${sha256}`} />
                <div class="what">
                  <a href={`/steward/holds/${holdId}`}>
                    <Said text={title ?? holdId} />
                  </a>
                  <p class="quiet">
                    {isNew ? "a new memo" : "changes a memo"}
                    {words !== null && `, ${count(words)} words`}
                  </p>
                </div>
              </li>
            ))}
          </ul>
          <p class="small">
            Nothing of these is written, and their runs end as cancelled. That cannot be taken back.
          </p>
          <RejectReason />
          <div class="actions">
            <button class="danger" name="act" value="reject-all">
              Reject {fit.length === 1 ? "it" : `all ${count(fit.length)}`}
            </button>
            <a class="button" href="/steward/holds">
              Keep them
            </a>
          </div>
        </form>
      )}
    </>
  );
}

/** What became of each. */
export function ManyDone({ rows, did }: { rows: readonly DoneRow[]; did: string }): Html {
  const applied = rows.filter(({ outcome }) => outcome === "applied").length;
  return (
    <>
      <h1>
        {count(applied)} of {count(rows.length)} {did}
      </h1>
      <ul class="cards">
        {rows.map(({ holdId, title, outcome, detail }) => (
          <li class="card">
            <div class="what">
              <a href={`/steward/holds/${holdId}`}>
                <Said text={title ?? holdId} />
              </a>
              {detail !== undefined && (
                <p class="quiet">
                  <Said text={detail} />
                </p>
              )}
            </div>
            <Status of={outcome === "applied" ? did : outcome} />
          </li>
        ))}
      </ul>
      <p>
        <a href="/steward/holds">Back to the holds</a>
      </p>
    </>
  );
}
