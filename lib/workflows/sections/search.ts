import { queryFault } from "../../core/query-terms.ts";
import type { Field, Token } from "../field.ts";
import type { Load } from "../manifest.ts";
import { splitAtDash, proseOf, tokenCount, wholeNumber } from "../value.ts";
import type { LoadDraft } from "./load-contract.ts";
import { mentionsIn, placeOf, type SectionContext } from "./section.ts";

/** Hits of a search that does not say how many. */
const DEFAULT_TOP = 5;
const MAX_TOP = 100;

const SETTING = /\b(at least|in|top|max|at)\s*[:=]?\s*$/i;
/** A setting whose number has no backticks: it would be lost as prose. */
const BARE_SETTING = /\b(?:top|max|at least)\s+\d[\d.,]*k?/i;

type Search = Extract<Load, { class: "search" }>;
type Settings = Pick<Search, "filter" | "top" | "maxTokens" | "at" | "atLeast">;

/** Reads one search line. Its settings keep their defaults where they cannot be read. */
export function readSearch(field: Field, context: SectionContext): LoadDraft | undefined {
  const { report, markdown } = context;
  const { before, after } = splitAtDash(field);
  const query = before.find((token) => token.kind !== "text" || token.text.trim() !== "");
  if (query?.kind !== "code" || query.text === "") {
    report.error("MW206", query ?? field.keySpan, "A search needs a query", {
      hint: "Write the query in backticks: `tag:roadmap {{payload.topic}}`.",
    });
    return undefined;
  }
  checkQuery(query, context);
  const rest = before.filter((token) => token.start > query.start);
  const settings: Settings = { filter: null, top: DEFAULT_TOP, maxTokens: null, at: null, atLeast: 0 };
  const given = new Map<string, Token>();
  for (const [index, token] of rest.entries()) {
    if (token.kind === "text") {
      const bare = BARE_SETTING.exec(token.text);
      if (!bare) continue;
      report.error("MW207", token, `"${bare[0]}" is not read without backticks`, { hint: "Write top `5`." });
      given.set(/^[a-z]+(?: least)?/i.exec(bare[0])?.[0].toLowerCase() ?? "", token);
      continue;
    }
    const intro = rest[index - 1];
    const name = intro?.kind === "text" ? SETTING.exec(intro.text)?.[1]?.toLowerCase() : undefined;
    if (name === undefined || token.kind === "ref") {
      const said = intro?.kind === "text" ? intro.text.trim() : "";
      report.error("MW214", token, `"${said || token.text}" is not a setting of a search`, {
        hint: "Use in, top, max, at or at least, each with its value in backticks.",
      });
      continue;
    }
    if (given.has(name)) {
      report.error("MW007", token, `"${name}" is set twice`, { hint: "Keep one." });
      continue;
    }
    given.set(name, token);
    applySetting(settings, name, token, context);
  }
  const least = given.get("at least");
  if (least && settings.atLeast > settings.top) {
    report.error("MW214", least, `At least ${settings.atLeast} are never found with top ${settings.top}`, {
      hint: `Write at least \`${settings.top}\` or less, or top \`${settings.atLeast}\`.`,
    });
  }
  if (!given.has("max")) {
    const end = { start: field.value.end, end: field.value.end };
    report.warn("MW208", end, "A search without max may fill the context", {
      hint: "Add max `3000 tokens`.",
      fix: {
        title: "Add max `3000 tokens`",
        span: { start: query.end, end: query.end },
        text: " max `3000 tokens`",
      },
    });
  }
  const load: Search = {
    id: "",
    class: "search",
    guaranteed: false,
    query: query.text,
    ...settings,
    why: proseOf(after) || null,
    loc: placeOf(markdown, field.span),
  };
  const filter = given.get("in");
  const mentions = [...mentionsIn(markdown, query), ...(filter ? mentionsIn(markdown, filter) : [])];
  return { load, span: field.span, ref: null, at: given.get("at") ?? null, mentions };
}

function checkQuery(token: Token, { report, markdown }: SectionContext): void {
  const fault = queryFault(token.text);
  if (!fault) return;
  const start = markdown.source.indexOf(fault.term, token.start);
  const isInside = start !== -1 && start < token.end;
  const span = isInside ? { start, end: start + fault.term.length } : token;
  report.error("MW206", span, `"${fault.term}" is not a term of a query`, { hint: fault.hint });
}

function applySetting(settings: Settings, name: string, token: Token, context: SectionContext): void {
  const { report } = context;
  const notNumber = (): void =>
    report.error("MW207", token, `"${token.text}" is not a number`, {
      hint: name === "max" ? "Write max `3000 tokens`." : `Write ${name} \`5\`.`,
    });
  if (name === "in") {
    settings.filter = token.text;
    checkQuery(token, context);
  } else if (name === "at") settings.at = token.text;
  else if (name === "max") {
    const count = tokenCount(token.text);
    if (count) settings.maxTokens = count;
    else notNumber();
  } else {
    const count = wholeNumber(token.text);
    if (count === undefined || count > MAX_TOP || (name === "top" && count < 1)) notNumber();
    else if (name === "top") settings.top = count;
    else settings.atLeast = count;
  }
}
