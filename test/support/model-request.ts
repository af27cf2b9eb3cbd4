import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelRequest, PromptPart } from "../../lib/model/model.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A request of a process step with everything but what the test is about filled in. */
export const modelRequest = (given: Partial<ModelRequest> = {}): ModelRequest => ({
  runId: "run_0001",
  stepId: "draft",
  model: "default",
  instructions: "Write the first draft. Use only what is in the loaded memos and the brief.",
  parts: [],
  returns: "markdown",
  schema: null,
  maxOutputTokens: null,
  temperature: null,
  tools: [],
  maxTurns: 1,
  signal: new AbortController().signal,
  ...given,
});

/** A memo as a search loads it. */
export const found = (title: string, text: string): PromptPart => ({ kind: "search", title, text });

/** A payload as its JSON text. */
export const payload = (value: unknown): PromptPart => ({
  kind: "payload",
  title: "payload",
  text: JSON.stringify(value),
});

/** Every note of the fixture library as a search part, sorted by path. */
export function tilNotes(): PromptPart[] {
  return markdownUnder(join(ROOT, "test/fixtures/til"));
}

/** Every memo of the demo library except the workflows, by title. */
export function demoMemos(): Map<string, PromptPart> {
  const memos = markdownUnder(join(ROOT, "infra/local/library"));
  return new Map(
    memos.filter((memo) => !memo.memoId?.startsWith("workflows/")).map((memo) => [memo.title, memo]),
  );
}

function markdownUnder(folder: string): PromptPart[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(folder, path), "utf8");
      return { kind: "search", title: /^# (.+)$/m.exec(text)?.[1]?.trim() ?? path, text, memoId: path };
    });
}

const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The quote lines of a draft that are not word for word in a memo they name; none in a faithful draft. */
export function unfaithfulLines(markdown: string, parts: readonly PromptPart[]): string[] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("> "))
    .filter(
      (line) =>
        !parts.some((part) => {
          const end = ` [[${part.title}]]`;
          const said = fold(line.slice(2, -end.length));
          return line.endsWith(end) && said !== "" && fold(part.text).includes(said);
        }),
    );
}

/** The titles that a draft quotes, each once. */
export const citedTitles = (markdown: string): string[] => [
  ...new Set([...markdown.matchAll(/^> .* \[\[(.+)\]\]$/gm)].map((match) => match[1] ?? "")),
];
