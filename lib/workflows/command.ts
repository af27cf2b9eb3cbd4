import { utf8Bytes } from "../core/bytes.ts";
import { parseMarkdown } from "../core/markdown.ts";
import { createReport } from "./diagnostics.ts";
import { readEntries } from "./field.ts";
import { outlineOf } from "./outline.ts";
import { COMMAND, TEXT_MAX_BYTES, TEXT_MAX_COST, fieldName } from "./sections/section.ts";
import { wordOf } from "./value.ts";

/** The Command of a workflow's text, read by the compiler's own rules but without compiling the rest. */
export function commandOf(body: string): string | null {
  if (!/command/i.test(body) || utf8Bytes(body) > TEXT_MAX_BYTES) return null;
  const markdown = parseMarkdown(body, TEXT_MAX_COST);
  const outline = outlineOf(markdown, createReport(markdown));
  for (const entry of readEntries(outline.sections.get("Trigger")?.nodes ?? [], markdown.source)) {
    if (!("field" in entry) || fieldName(entry.field.key) !== "command") continue;
    const word = wordOf(entry.field);
    return !word.bare && COMMAND.test(word.text) ? word.text : null;
  }
  return null;
}
