import { fromMarkdown } from "mdast-util-from-markdown";
import { toString } from "mdast-util-to-string";
import { parse as parseYaml } from "yaml";
import * as z from "zod";
import { foldWhitespace } from "../core/text.ts";
import { MemoType, Visibility } from "./memo.ts";

/** What a Markdown file says about the memo that it is; the body is the file's whole text, byte for byte. */
export type MemoFile = {
  id: string | null;
  title: string;
  tags: readonly string[];
  memoType: MemoType;
  /** Null where the file does not say. */
  visibility: Visibility | null;
};
export type ReadFile = { ok: true; file: MemoFile } | { ok: false; message: string };

/** A file with this many of the sections is a workflow, so that one with a misspelt section still compiles to a diagnostic. */
const SECTIONS = new Set(["trigger", "load contract", "steps", "policy"]);
const SECTIONS_NEEDED = 3;

/** Bounds of front matter: reading 8,000 nested brackets as YAML takes a second, and a request has 100 files. */
const FRONT_MATTER_MAX_LENGTH = 4096;
const FRONT_MATTER_MAX_BRACKETS = 50;

const FRONT_MATTER = /^\uFEFF?---[ \t]*(?:\r\n|\r|\n)([\s\S]*?)(?<=[\r\n])---[ \t]*(?:\r\n|\r|\n|$)/;

/**
 * What an export puts before a text so that an import finds the memo again: front matter that says all of the
 * memo and is no part of its text.
 */
const EXPORT_HEADER = /^---\r?\n# exported\r?\n[\s\S]*?(?<=\n)---(?:\r?\n|$)/;

/** The text that a file is as a memo: the whole of it, but for what an export put before it. */
export const bodyOfFile = (text: string): string => text.replace(EXPORT_HEADER, "");

const Tag = z.union([z.string(), z.number()]).transform(String);
const FrontMatter = z.object({
  id: z.string().min(1).max(200).optional(),
  title: z.string().min(1).optional(),
  tags: z
    .union([z.array(Tag), z.string().transform((text) => text.split(",").map((tag) => tag.trim()))])
    .nullish(),
  memoType: MemoType.optional(),
  // Other programs use `type` too; only our own values mean something here.
  type: MemoType.optional().catch(undefined),
  visibility: Visibility.optional(),
});

/** Reads title, tags and type from a file; the folder it lies in is a tag. Never writes into the text. */
export function readMemoFile(path: string, text: string): ReadFile {
  const front = FRONT_MATTER.exec(text);
  const settings = readFrontMatter(front?.[1] ?? "");
  if (typeof settings === "string") return { ok: false, message: settings };
  const headings = headingsOf(text.slice(front?.[0].length ?? 0).replace(/^\uFEFF/, ""));
  const h1 = headings.find((heading) => heading.depth === 1);
  const segments = path.split("/");
  const fileName = (segments.at(-1) ?? path).replace(/\.(?:md|markdown|txt)$/i, "");
  const isExported = EXPORT_HEADER.test(text);
  // An exported memo has its tags already, wherever its file lies now.
  const folder = isExported ? undefined : segments.at(-2);
  const sections = new Set(
    headings.filter((heading) => heading.depth === 2).map(({ line }) => sectionOf(line)),
  );
  const isWorkflow = [...SECTIONS].filter((section) => sections.has(section)).length >= SECTIONS_NEEDED;
  return {
    ok: true,
    file: {
      id: settings.id ?? null,
      title: (isExported && settings.title) || titleOf(h1, settings.title, fileName),
      tags: [...new Set([...(settings.tags ?? []), ...(folder ? [folder] : [])])],
      memoType: settings.memoType ?? settings.type ?? (isWorkflow ? "workflow" : "note"),
      visibility: settings.visibility ?? null,
    },
  };
}

const titleOf = (h1: Heading | undefined, said: string | undefined, fileName: string): string =>
  foldWhitespace(((h1 && plainText(h1.line)) || said) ?? fileName) || fileName;

function readFrontMatter(yaml: string): z.infer<typeof FrontMatter> | string {
  if (yaml.length > FRONT_MATTER_MAX_LENGTH) {
    return `the front matter has ${yaml.length} characters of ${FRONT_MATTER_MAX_LENGTH}`;
  }
  if ((yaml.match(/[[{]/g)?.length ?? 0) > FRONT_MATTER_MAX_BRACKETS) {
    return `the front matter has more than ${FRONT_MATTER_MAX_BRACKETS} opening brackets`;
  }
  let value: unknown;
  try {
    // No aliases: ten lines of them can unfold into gigabytes.
    value = parseYaml(yaml, { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    return `the front matter is not YAML: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : ""}`;
  }
  // Prose between two rules is no front matter.
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const parsed = FrontMatter.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return `the front matter is not of the right form at ${issue?.path.join(".") || "its start"}: ${issue?.message}`;
}

type Heading = { depth: 1 | 2; line: string };

/** First and second level headings that are not inside a fenced block: `# comment` in a script is no title. */
function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence: string | undefined;
  let before = "";
  for (const line of text.split(/\r\n|\r|\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== undefined) {
      const closes = mark && mark[1]?.startsWith(fence) && !mark[2]?.trim();
      if (closes) fence = undefined;
    } else if (mark) {
      fence = mark[1];
    } else {
      const heading = /^ {0,3}(#{1,2})[ \t]+(.*)$/.exec(line);
      if (heading) headings.push({ depth: heading[1] === "#" ? 1 : 2, line });
      else if (/^ {0,3}=+[ \t]*$/.test(line) && before.trim()) headings.push({ depth: 1, line: before });
    }
    before = line;
  }
  return headings;
}

const sectionOf = (line: string): string =>
  foldWhitespace(line.slice(0, 1000).replace(/^[\s#]+|[\s#]+$/g, "")).toLowerCase();

/** A heading's text without its marks; of a longer line only the start is read. */
const plainText = (line: string): string => foldWhitespace(toString(fromMarkdown(line.slice(0, 1000))));
