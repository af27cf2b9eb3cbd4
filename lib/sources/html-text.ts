/** Elements whose content is no text for a reader. */
const SILENT = [
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
  "head",
  "title",
];
const SILENT_NAMES: ReadonlySet<string> = new Set(SILENT);

/** Elements that stand on lines of their own. */
const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 " +
    "h4 h5 h6 header hr html li main nav ol option p pre section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  shy: "",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  copy: "©",
  euro: "€",
  middot: "·",
  times: "×",
};

/**
 * The readable text of an HTML page and its title. It goes over the text once and only takes away: no script
 * is run, nothing is loaded, and what it does not know stays as it is.
 */
export function htmlText(html: string): { title: string; text: string } {
  const lower = html.toLowerCase();
  const title = titleOf(html, lower);
  const unclosed = new Set<string>();
  let text = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) break;
    text += html.slice(at, open);
    const next = html.charCodeAt(open + 1);
    if (html.startsWith("<!--", open)) at = after(html, "-->", open + 4);
    else if (next === 33 || next === 63) at = after(html, ">", open);
    else if (!isLetter(next) && next !== 47) {
      // A sign, not a tag.
      text += "<";
      at = open + 1;
    } else {
      const name = /^\/?([a-z][a-z0-9-]*)/.exec(lower.slice(open + 1, open + 30))?.[1] ?? "";
      const end = tagEnd(html, open);
      if (BLOCKS.has(name)) text += name === "li" && next !== 47 ? "\n- " : "\n";
      const isSilent = SILENT_NAMES.has(name) && next !== 47 && html[end - 2] !== "/";
      const close = isSilent && !unclosed.has(name) ? lower.indexOf(`</${name}`, end) : -1;
      if (close !== -1) at = after(html, ">", close);
      else if (isSilent && name !== "head") {
        // As browsers have it: what never closes is silent to the end.
        at = html.length;
      } else {
        // Looked for once: a search to the end for each of many would take minutes.
        if (isSilent) unclosed.add(name);
        at = end;
      }
    }
  }
  text += html.slice(at);
  return { title: decodeEntities(title), text: tidy(decodeEntities(text)) };
}

function titleOf(html: string, lower: string): string {
  const open = lower.indexOf("<title");
  if (open === -1) return "";
  const start = tagEnd(html, open);
  const end = lower.indexOf("</title", start);
  return end === -1 ? "" : html.slice(start, end);
}

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** The place behind the next `mark`; the end when there is none. */
function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

/** The place behind a tag: a `>` inside an attribute's quotes does not end it. */
function tagEnd(html: string, open: number): number {
  let quote = "";
  for (let at = open + 1; at < html.length; at++) {
    const char = html[at]!;
    if (quote !== "") {
      if (char === quote) quote = "";
    } else if (char === ">") return at + 1;
    else if ((char === '"' || char === "'") && html[at - 1] === "=") quote = char;
  }
  return html.length;
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, dec, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = dec !== undefined ? Number(dec) : Number.parseInt(String(hex), 16);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
  });
}

/** Lines without their white space, and no two empty ones in a row. */
function tidy(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.replace(/[\t\f\v \u00a0]+/g, " ").trim());
  return lines.filter((line) => line !== "" && line !== "-").join("\n");
}
