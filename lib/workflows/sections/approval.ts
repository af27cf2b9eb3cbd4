import { readCondition } from "../condition-text.ts";
import type { Report } from "../diagnostics.ts";
import type { Field, Token } from "../field.ts";
import type { Policy } from "../manifest.ts";
import { codesOf, wordOf } from "../value.ts";
import type { Mention } from "./section.ts";

const HINT = "Use `hold`, `auto` or `auto` unless `steps.x.confidence` below `0.7`.";
const CLAUSE_OPERATORS = ["is", "is not", "contains", "below", "above"] as const;

/**
 * Reads Approval. `auto` is taken only when the whole value says so: any argument or "unless" that cannot be
 * read is an error, since a lost clause would turn doubt into approval.
 */
export function readApproval(field: Field, mentions: Mention[], report: Report): Policy["approval"] {
  const hold: Policy["approval"] = { mode: "hold", unless: null };
  const wrong = (token: { text: string; start: number; end: number }): Policy["approval"] => {
    report.error("MW410", token, `"${token.text}" is not an approval`, { hint: HINT });
    return hold;
  };
  const tokens = field.tokens.filter((token) => token.kind !== "text" || token.text.trim() !== "");
  const [mode, ...rest] = tokens;
  if (!mode || codesOf(tokens).length === 0) {
    const word = wordOf(field);
    if (word.text === "hold" || word.text === "auto") return { mode: word.text, unless: null };
    return wrong(word);
  }
  if (mode.kind !== "code") return wrong({ ...mode, text: mode.text.trim() });
  if (mode.text === "hold") return hold;
  if (mode.text !== "auto") return wrong(mode);
  const clause = readClause(rest);
  if (clause === undefined) return { mode: "auto", unless: null };
  if (!clause) {
    const at = rest.find((token) => token.kind !== "text") ?? rest[0] ?? mode;
    return wrong({ ...at, text: at.text.trim() });
  }
  mentions.push({ inner: clause.path.text, span: clause.path });
  return { mode: "auto", unless: clause.condition };
}

/** The clause after `auto`; undefined when there is none, false when it cannot be read. */
function readClause(rest: readonly Token[]) {
  const isProse = rest.every((token) => token.kind === "text" && !/\bunless\b/i.test(token.text));
  if (isProse) return undefined;
  const [intro, ...condition] = rest;
  if (intro?.kind !== "text" || !/^[\s,;]*unless\s*$/i.test(intro.text)) return false;
  const read = readCondition(condition, CLAUSE_OPERATORS);
  return read.ok ? read : false;
}
