import { AppError } from "../core/errors.ts";
import { truncate } from "../core/text.ts";
import { briefOf } from "./brief.ts";
import { fit, render } from "./draft.ts";
import { estimateTokens, type Model, type ModelReply, type ModelRequest } from "./model.ts";
import { sourcesOf } from "./quotes.ts";
import { reviseDraft } from "./revise-draft.ts";
import { writeDraft } from "./write-draft.ts";

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

function jsonFor(request: ModelRequest): string {
  throw new AppError(
    "offline_cannot",
    `the offline writer cannot fill the schema of step "${request.stepId}"`,
    {
      stepId: request.stepId,
      what: "json",
    },
  );
}

function markdownFor(request: ModelRequest): string {
  const brief = briefOf(request);
  const sources = sourcesOf(request.parts);
  const earlier = request.parts.filter((part) => part.kind === "step" && part.text.trim() !== "").at(-1);
  const draft = earlier
    ? reviseDraft(earlier.text, brief, sources, request.parts)
    : writeDraft(brief, sources, request.parts);
  return render(fit(draft, { words: brief.maxWords, tokens: request.maxOutputTokens ?? Infinity }));
}

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
