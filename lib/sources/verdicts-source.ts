import { AppError } from "../core/errors.ts";
import type { Source } from "../core/source.ts";
import { DEFAULT_APP, type LedgerEntry } from "../steward/ledger-entry.ts";
import type { VerdictLedger } from "../steward/store.ts";
import { lineOf, minuteOf } from "./lines.ts";

const MAX_VERDICTS = 500;
/** Code units of all lines together: what is included stands in every question that a step asks. */
const TEXT_MAX = 12_000;

/**
 * `verdicts:<n>`: the newest of what passes of the session steward came to think of the owner's sessions, and of what
 * persons said otherwise, newest first. What dry runs thought is left out.
 */
export function createVerdictsSource(deps: { verdicts: Pick<VerdictLedger, "ofOwner"> }): Source {
  return {
    scheme: "verdicts",
    async read({ ownerUid }, argument) {
      const count = /^[1-9]\d{0,2}$/.test(argument) ? Number(argument) : 0;
      if (count < 1 || count > MAX_VERDICTS) {
        const message = `verdicts: takes a number from 1 to ${MAX_VERDICTS}, not "${argument}"`;
        throw new AppError("source_unavailable", message, { source: `verdicts:${argument}` });
      }
      const entries = await deps.verdicts.ofOwner({ ownerUid, appId: DEFAULT_APP, mode: "real" }, count);
      if (entries.length === 0) return [];
      const lines = withinBounds(entries.map(lineOfEntry));
      const cut = entries.length - lines.length;
      const more = cut > 0 ? [`- and ${cut} more, which are left out`] : [];
      return [{ title: "Verdicts of earlier passes", text: [...lines, ...more].join("\n") }];
    },
  };
}

function lineOfEntry({ ts, item, payload }: LedgerEntry): string {
  const at = minuteOf(Date.parse(ts));
  if (payload.kind === "steward-verdict") {
    const { verdict, confidence, note } = payload;
    return lineOf(at, item, verdict, { confidence: confidence ?? undefined, why: note });
  }
  const { operatorVerdict, judgeVerdict, judgeConfidence, note } = payload;
  return lineOf(at, item, `a person says ${operatorVerdict}, the judge said ${judgeVerdict}`, {
    "judge's confidence": judgeConfidence ?? undefined,
    why: note,
  });
}

function withinBounds(lines: readonly string[]): string[] {
  let left = TEXT_MAX;
  const end = lines.findIndex((line) => (left -= line.length + 1) < 0);
  return end === -1 ? [...lines] : lines.slice(0, end);
}
