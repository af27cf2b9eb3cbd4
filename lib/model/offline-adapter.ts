import { AppError } from "../core/errors.ts";
import { truncate } from "../core/text.ts";
import { briefOf, isProse } from "./brief.ts";
import { fit, render, text, type Draft } from "./draft.ts";
import { itemLines, listItems, mergeList, type ListItem } from "./merge-list.ts";
import { estimateTokens, type Model, type ModelReply, type ModelRequest } from "./model.ts";
import { pickQuotes, sourcesOf } from "./quotes.ts";
import { fillSchema, type Material } from "./fill-schema.ts";
import { reviseDraft } from "./revise-draft.ts";
import type { JsonSchema } from "./schema.ts";
import { section, writeDraft } from "./write-draft.ts";

/** What the offline writer calls itself on steps and in usage. */
export const OFFLINE_MODEL = "offline-extractive";

/**
 * A writer without a model: it quotes the loaded memos, and fills a schema from words they share. No network, no
 * key, no clock and no chance: the same request gives the same bytes.
 */
export function createOfflineModel(): Model {
  return async (request) => {
    request.signal.throwIfAborted();
    const text = request.returns === "json" ? jsonFor(request) : markdownFor(request);
    request.signal.throwIfAborted();
    return replyWith(request, text);
  };
}

/** Items of an array at first; fewer when the answer has to be shorter. */
const MAX_ITEMS = 8;

/** What an item list looks like when the step gives no schema. */
const FREE_FORM: JsonSchema = {
  type: "object",
  required: ["items", "confidence", "note"],
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        required: ["text", "source"],
        properties: { text: { type: "string" }, source: { type: "string" } },
      },
    },
    confidence: { type: "number", minimum: 0, maximum: 1 },
    note: { type: "string" },
  },
};

function jsonFor(request: ModelRequest): string {
  const brief = briefOf(request);
  const { parts } = request;
  const quotes = pickQuotes(sourcesOf(parts), brief.query, { words: 1000, perMemo: MAX_ITEMS }).quotes;
  const rules = parts.filter((part) => part.kind === "gate" || part.kind === "hook").map((part) => part.text);
  const material: Material = {
    brief,
    facts: brief.facts,
    quotes,
    rules: [request.instructions, ...rules],
    evidence: [
      ...brief.facts.filter(isProse).map(({ text }) => ({ text, weight: 3 })),
      ...parts.filter((part) => part.kind === "step").map(({ text }) => ({ text, weight: 3 })),
      ...quotes.map(({ text }) => ({ text, weight: 1 })),
    ],
    maxItems: MAX_ITEMS,
  };
  let json = "";
  for (let maxItems = MAX_ITEMS; maxItems >= 1; maxItems--) {
    const filled = fillSchema(request.schema ?? FREE_FORM, { ...material, maxItems });
    if (!filled.filled) throw cannotFill(request.stepId, filled.what);
    json = JSON.stringify(filled.value);
    if (estimateTokens(json) <= (request.maxOutputTokens ?? Infinity)) break;
  }
  return json;
}

const cannotFill = (stepId: string, what: string) =>
  new AppError(
    "offline_cannot",
    `the offline writer cannot fill the schema of step "${stepId}": ${what}. ` +
      'Set a real model in config.json: {"models":{"default":{"provider":"…","model":"…"}}}',
    { stepId, what },
  );

function markdownFor(request: ModelRequest): string {
  const { instructions, parts } = request;
  const brief = briefOf(request);
  const sources = sourcesOf(parts);
  const earlier = parts.filter((part) => part.kind === "step" && part.text.trim() !== "").at(-1);
  const rejected = parts.findLast((part) => part.kind === "draft");
  const items = earlier ? listItems(earlier.text) : undefined;
  const merged = mergeList(instructions, parts, items ?? []);
  if (merged !== undefined) return merged;
  const toRevise = items ? undefined : (rejected ?? earlier);
  const draft = toRevise
    ? reviseDraft(toRevise.text, brief, sources, parts)
    : withItems(writeDraft(brief, sources, parts), items ?? []);
  return render(fit(draft, { words: brief.maxWords, tokens: request.maxOutputTokens ?? Infinity }));
}

const withItems = (draft: Draft, items: readonly ListItem[]): Draft =>
  items.length === 0
    ? draft
    : { ...draft, sections: [section("From the step before", [text(itemLines(items))]), ...draft.sections] };

function replyWith(request: ModelRequest, whole: string): ModelReply {
  const limit = request.maxOutputTokens ?? Infinity;
  const text = estimateTokens(whole) <= limit ? whole : cutToTokens(whole, limit);
  const input = request.parts.reduce((sum, part) => sum + estimateTokens(part.text), 0);
  return {
    text,
    model: OFFLINE_MODEL,
    usage: {
      input: estimateTokens(request.instructions) + input,
      cacheRead: 0,
      cacheWrite: 0,
      output: estimateTokens(text),
      estimated: true,
    },
    stop: text === whole ? "end" : "length",
    costMicroUsd: 0,
  };
}

/** The whole lines that fit: a quote cut in the middle would no longer end in its source. */
function cutToTokens(text: string, tokens: number): string {
  const kept: string[] = [];
  for (const line of text.split("\n")) {
    if (estimateTokens([...kept, line].join("\n")) > tokens) break;
    kept.push(line);
  }
  if (kept.length > 0) return kept.join("\n");
  const first = text.split("\n", 1)[0] ?? "";
  let length = Math.min(first.length, Math.floor(tokens * 4));
  while (length > 0 && estimateTokens(truncate(first, length)) > tokens) length--;
  return truncate(first, length);
}
