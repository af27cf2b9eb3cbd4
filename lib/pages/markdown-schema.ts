import type { Schema } from "hast-util-sanitize";

const BLOCKS = ["p", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "td", "th"];
const INLINE = ["a", "br", "code", "del", "details", "div", "em", "hr", "span", "strong", "summary"];
const TABLE = ["table", "tbody", "thead", "tr"];
const OURS = ["address", "host", "html", "image", "memo", "scroll", "template", "tick", "front"];

/** What may stand in somebody else's text, and nothing beside it: no id, no name, no style, nothing that loads. */
export const SCHEMA: Schema = {
  tagNames: [...BLOCKS, ...INLINE, ...TABLE],
  attributes: {
    a: ["href", ["rel", "noreferrer", "noopener", "nofollow"], "title"],
    ol: ["start"],
    td: [["align", "left", "right", "center"]],
    th: [
      ["align", "left", "right", "center"],
      ["scope", "col"],
    ],
    div: [["role", "region"], ["tabIndex", 0], "ariaLabel"],
    span: [["role", "img"], "ariaLabel"],
    "*": [
      ["className", ...OURS],
      ["dir", "auto"],
    ],
  },
  // Addresses within the pages have none; they are made by us.
  protocols: { href: ["http", "https", "mailto"] },
  clobber: [],
  required: {},
  strip: ["script", "style"],
  allowComments: false,
  allowDoctypes: false,
};
