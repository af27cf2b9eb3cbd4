import type { Generated, Prompt } from "./language-model.ts";
import { estimateTokens, type Usage } from "./model.ts";
import type { Provider } from "./provider.ts";

type Answer = Pick<Generated, "usage" | "content">;

/** One call's tokens in disjoint buckets, as the provider counted them; estimated when it did not. */
export function usageOf(
  { usage: trust }: Pick<Provider, "usage">,
  prompt: Prompt,
  { usage, content }: Answer,
): Usage {
  const { inputTokens, outputTokens } = usage;
  const total = inputTokens.total ?? 0;
  // Servers that do not count leave the numbers out, or say nothing was used.
  if (trust === "estimated" || (total === 0 && (outputTokens.total ?? 0) === 0)) {
    return {
      input: estimateTokens(JSON.stringify(prompt)),
      cacheRead: 0,
      cacheWrite: 0,
      output: estimateTokens(content.map((part) => JSON.stringify(part)).join("")),
      estimated: true,
    };
  }
  const cacheRead = inputTokens.cacheRead ?? 0;
  const cacheWrite = inputTokens.cacheWrite ?? 0;
  return {
    input: Math.max(0, inputTokens.noCache ?? total - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite,
    output: outputTokens.total ?? 0,
    estimated: false,
  };
}
