import { isAppError } from "../../lib/core/errors.ts";
import { inParallel } from "../../lib/core/in-parallel.ts";
import { changeSize } from "../../lib/holds/change-size.ts";
import type { Chosen, DoneRow } from "../../lib/pages/hold-many.tsx";
import { readHold } from "../../lib/runs/hold-view.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageContext } from "./page-request.ts";

const AT_ONCE = 8;

/** The holds of this person's library among these; another's is as one that does not exist. */
export const chosenOf = async (
  deps: PageDeps,
  c: PageContext,
  named: readonly { holdId: string; sha256: string }[],
): Promise<Chosen[]> => {
  const { ownerUid } = c.get("session").principal;
  const chosen = await inParallel(named, AT_ONCE, async ({ holdId, sha256 }): Promise<Chosen[]> => {
    try {
      const { proposal, kind, open } = await readHold(deps, ownerUid, holdId);
      const isNew = proposal?.target.kind === "create";
      return [
        {
          holdId,
          sha256,
          kind,
          open,
          title: proposal?.title ?? null,
          isNew,
          words: proposal ? changeSize(null, proposal.text).words : null,
        },
      ];
    } catch (error) {
      if (isAppError(error) && error.code === "hold_not_found") return [];
      throw error;
    }
  });
  return chosen.flat();
};

/** What was done with each, with the title that a person knows it by. */
export async function withTitles(
  deps: PageDeps,
  c: PageContext,
  rows: readonly { holdId: string; outcome: string; detail?: string }[],
): Promise<DoneRow[]> {
  const named = rows.map(({ holdId }) => ({ holdId, sha256: "" }));
  const titles = new Map((await chosenOf(deps, c, named)).map(({ holdId, title }) => [holdId, title]));
  return rows.map((row) => ({ ...row, title: titles.get(row.holdId) ?? null }));
}
