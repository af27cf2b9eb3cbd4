import * as fc from "fast-check";

/** Pieces that mean something to Markdown, to the dialect, or to nothing. */
export const markdownPiece = fc.oneof(
  fc.constantFrom(
    "\n",
    "\r",
    "\r\n",
    "\uFEFF",
    "\t",
    "    ",
    "\n\n",
    "  \n",
    "\\",
    "\0",
    "\uD800",
    "\u202E",
    "🎉",
    "## ",
    "# ",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
    "---",
    "***",
    "===",
    "**",
    "__",
    "*",
    "_",
    "`",
    "``",
    "```",
    "~~~",
    "[[",
    "]]",
    "[",
    "]",
    "](x)",
    "![",
    "]: x",
    "{{",
    "}}",
    "&amp;",
    "&#0;",
    "<!--",
    "-->",
    "<div>",
    "<b>",
    "<?",
    "<script>",
    "<http://x>",
    "| a | b |",
    "[^1]",
    "[ ] ",
    "Trigger",
    "Load Contract",
    "Steps",
    "Policy",
    "**Approval** ",
    "`auto`",
    "`hold`",
    "json schema",
    "**process** ",
    "`draft` ",
    "{{steps.x}}",
    "payload.",
    "[[House style]]",
    "**Command** `/a-b`",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);

const words = fc
  .array(fc.oneof(fc.constantFrom("word", "two words", " "), markdownPiece), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(""));

/** Blocks in blocks, in the forms people write them. */
const block: fc.Memo<string> = fc.memo((depth) => {
  const inside =
    depth > 1 ? fc.array(block(depth - 1), { maxLength: 3 }).map((parts) => parts.join("")) : words;
  const prefixed = (prefix: string) => (text: string) => `${text.replace(/^(?=.)/gm, prefix)}\n`;
  return fc.oneof(
    words.map((text) => `${text}\n\n`),
    words.map((text) => `## ${text}\n`),
    words.map((text) => `${text}\n---\n`),
    inside.map(prefixed("> ")),
    inside.map((text) => `- ${prefixed("  ")(text).trimStart()}`),
    inside.map((text) => `1. ${prefixed("   ")(text).trimStart()}\n`),
    inside.map((text) => `\`\`\`json schema\n${text}\n\`\`\`\n`),
    inside.map(prefixed("    ")),
    inside.map((text) => `<div>\n${text}\n</div>\n\n`),
    fc.tuple(words, words).map(([key, value]) => `- **${key}** ${value}\n`),
  );
});

/** A random text from a grammar of Markdown. */
export const markdownText = fc.array(block(3), { maxLength: 8 }).map((blocks) => blocks.join(""));
