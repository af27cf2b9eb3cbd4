import { AppError } from "../core/errors.ts";
import type { Source } from "../core/source.ts";
import { listHolds } from "../runs/list-holds.ts";
import type { RunStore } from "../runs/store.ts";
import { lineOf, minuteOf } from "./lines.ts";

/** Most holds listed, oldest first: those wait longest. */
const MAX_HOLDS = 100;

/** `holds:open`: what waits for a person, oldest first. The bytes themselves are left out. */
export function createHoldsSource(deps: { runs: RunStore }): Source {
  return {
    scheme: "holds",
    async read({ ownerUid }, argument) {
      if (argument !== "open") {
        const message = `holds: takes open, not "${argument}"`;
        throw new AppError("source_unavailable", message, { source: `holds:${argument}` });
      }
      const { items, next } = await listHolds(deps, ownerUid, { limit: MAX_HOLDS, after: null });
      if (items.length === 0) return [];
      const lines = items.map((hold) =>
        lineOf(minuteOf(hold.openedAt), hold.title ?? "(no title)", hold.holdId, {
          expires: minuteOf(hold.expiresAt),
          failed: hold.guards
            .filter(({ passed }) => !passed)
            .map(({ guard }) => guard)
            .join(", "),
          "asked by": hold.requestedBy.username,
        }),
      );
      const more = next ? ["- and more, which are left out"] : [];
      return [{ title: "Open holds", text: [...lines, ...more].join("\n") }];
    },
  };
}
