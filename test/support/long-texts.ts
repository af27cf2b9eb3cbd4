import { readFileSync, readdirSync } from "node:fs";

const FIXTURES = new URL("../fixtures/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, FIXTURES), "utf8");

/** Just below the most that a workflow may have, in bytes. */
const LENGTH = 65_000;

/** A pattern as often as it fits. */
const fill = (pattern: string, length = LENGTH): string =>
  pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);

/** A line for each number, as many as fit. */
function numbered(line: (index: number) => string): string {
  let text = "";
  for (let index = 0; text.length < LENGTH; index++) text += line(index);
  return text.slice(0, LENGTH);
}

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("");

/** All notes of the library of fixtures, one after the other. */
export const NOTES = readdirSync(new URL("til/", FIXTURES), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md"))
  .sort()
  .map((path) => read(`til/${path}`))
  .join("\n");

const example = read("examples/workflows/1-memo-drafting.md");
const SENTENCE = "The quick brown fox jumps over the lazy dog and says nothing at all.\n";

/** What people write, at the greatest length. */
export const REAL_TEXTS: Record<string, string> = {
  notes: NOTES.slice(0, 60_000),
  "a workflow with notes below": `${example}\n## Notes\n\n${NOTES.slice(0, 58_000)}`,
  "a workflow with a very long step": example.replace(
    "\n## Policy",
    `\n${fill(`   ${SENTENCE}`, 60_000)}\n## Policy`,
  ),
  "a workflow with a long fence": example.replace(
    "\n## Policy",
    `\n   \`\`\`\n${fill("   const a = b[1] * c_d; // `x` <y>\n", 10_000)}\n   \`\`\`\n\n## Policy`,
  ),
  "paragraphs with code, bold and links": fill(
    "The quick brown fox says `hello` to [[House style]] with **bold** words, and so on. \n\n",
  ),
  "one paragraph": fill(SENTENCE),
};

const HOSTILE: Record<string, string> = {
  quotes: "> ",
  "quotes without spaces": ">",
  bullets: "- ",
  "lines of bullets": "- a\n",
  "a loose list": "- aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n",
  "lists two deep": "- a\n  - b\n",
  "lists four deep": "- a\n  - b\n    - c\n      - d\n",
  "quotes three deep": "> > > a\n",
  "quotes, an empty line between": "> a\n\n",
  "lists in quotes": "> - a\n",
  "empty items": "-\n",
  "items of code": "-     a\n",
  numbers: "1. ",
  "lines of numbers": "1. a\n",
  "stars and underscores": "*_",
  "stars that open": "*a ",
  "stars and underscores within words": "a*b_",
  "stars of three kinds": "***a** b* ",
  "lines of stars": "*a\n",
  "long runs of stars": `${"*".repeat(99)}a`,
  brackets: "[a]",
  "brackets that open": "[",
  "brackets that close": "]",
  images: "![a](",
  links: "[a](b) ",
  "links that do not end": "[a](b",
  "memo references": "[[House style]] ",
  definitions: "[a]: b\n",
  "uses and definitions": `${"[a]: b\n\n"}${"[a] ".repeat(50)}\n\n`,
  "backticks that do not close": "`a ",
  "backticks of two lengths": "`` ` ",
  "exclamation marks": "!",
  "exclamation marks apart": "! ",
  "lines of exclamation marks": `${"!".repeat(99)}\n`,
  "lines of backticks": "`a\n",
  "code spans": "`a` ",
  entities: "&amp;",
  "entities that are none": "&a",
  tags: "<a>",
  "tags that do not end": "<a ",
  "tags over lines": "<a\n",
  "angle brackets": "<",
  instructions: "<?",
  "character data": "<![CDATA[",
  addresses: "<http:a> ",
  "blocks of HTML": "<div>\n\n",
  backslashes: "\\*",
  "hard breaks": "a  \n",
  "hard breaks by backslash": "a\\\n",
  spaces: " ",
  tabs: "\t",
  "lines of tabs": "\ta\n",
  "empty lines": "\n",
  "lines of a space": " \n",
  "lone CR": "\r",
  NUL: "\0",
  "hash signs": "#",
  headings: "# a\n",
  "section headings": "## a\n",
  "sections by name": "## Steps\n",
  "misspelt sections": "## Triger\n",
  "underlined headings": "a\n-\n",
  rules: "---\n",
  "rules of stars": "* * * ",
  fences: "```\n",
  "small fences": "~~~\na\n",
  tables: "| a | b |\n|---|---|\n",
  emoji: "🎉",
  "half an emoji": "\uD83C",
  "marks of direction": "\u202E\u200B",
  placeholders: "{{steps.draft}} ",
  "placeholders that do not end": "{{payload.a ",
  fields: "- **Approval** `hold`\n",
  "unknown fields": "- **Unknown** `hold`\n",
  "one long word": "a",
};

/** What costs a Markdown parser, or the compiler, most. */
export const HOSTILE_TEXTS: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(HOSTILE).map(([name, pattern]) => [
      name,
      fill(pattern, Math.floor((LENGTH * pattern.length) / Buffer.byteLength(pattern))),
    ]),
  ),
  "lists by indent": numbered((index) => `${" ".repeat(index * 2)}- a\n`),
  "lazy lines below a quote": `> a\n${fill("b\n")}`,
  "lazy lines below a list": `- a\n${fill("b\n")}`,
  "lazy lines two deep": `- - a\n${fill("  b\n")}`,
  "empty lines below a list": `- a\n${fill("\n")}`,
  "backticks of every length": numbered((index) => `${"`".repeat(index + 1)} `),
  "backticks of every length, falling": numbered((index) => `${"`".repeat(index + 1)} `)
    .split(" ")
    .toReversed()
    .join(" "),
  "backticks of any length": numbered((index) => `${"`".repeat(1 + ((index * 7919) % 180))}a`),
  "backticks of every length in a step": example.replace(
    "Write the first draft",
    () => `${numbered((index) => `${"`".repeat(index + 1)} `).slice(0, 55_000)}\nWrite the first draft`,
  ),
  "inputs of an example": example.replace(
    "- **Input**",
    () =>
      `${numbered((index) => `- **Input** \`a${index}\` string — ${"x".repeat(60)}\n`).slice(0, 60_000)}\n- **Input**`,
  ),
  "380 inputs of an example": example.replace(
    "- **Input**",
    () => `${lines(380, (index) => `- **Input** \`a${index}\` string — ${"x".repeat(60)}\n`)}- **Input**`,
  ),
  "400 steps of an example": example.replace(
    "4. **process**",
    () =>
      `${lines(400, (index) => `4. **process** \`s${index}\` x {{steps.s${index - 1}}}\n`)}4. **process**`,
  ),
  "references to nothing": example.replace("Aim for", () =>
    lines(3000, (index) => `{{payload.topi${index}}} `),
  ),
  "many definitions": numbered((index) => `[a${index}]: b\n\n`),
  "stars that nest": "*a ".repeat(10_000) + "b* ".repeat(10_000),
  "a fence that never ends": `\`\`\`\n${fill("a\n\nb\n")}`,
  "a comment that never ends": `<!--\n${fill("a\n\nb\n")}`,
  "front matter of settings": `---\n${fill("status: a\n")}---\n`,
  steps: `## Steps\n${numbered((index) => `1. **process** \`d${index}\` {{steps.d${index - 1}}}\n`)}`.slice(
    0,
    LENGTH,
  ),
  inputs: `## Trigger\n${numbered((index) => `- **Input** \`a${index}\` string\n`)}`.slice(0, LENGTH),
  "gates of tags": `## Load Contract\n${fill(`**gate${"<1>".repeat(14)} `, 60_000)}`,
  "lines of tags": `## Policy\n${fill(`${"<1>".repeat(20)}\n`, 60_000)}`,
  "a key of many words": `## Policy\n- **${fill("a ", 60_000)}** \`x\``,
  "a schema of brackets": `## Steps\n1. **process** \`a\` b\n   \`\`\`json schema\n   ${'{"items":'.repeat(7000)}`,
  "memo references in code": `## Policy\n- **Target** ${fill("`[[` ", 30_000)}`,
};
