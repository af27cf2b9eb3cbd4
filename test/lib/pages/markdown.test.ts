import { expect, test } from "vitest";
import { Rendered } from "../../../lib/pages/markdown.tsx";

const html = async (text: string): Promise<string> => String(await Rendered({ text }));

test.each([
  ["a heading is one below the page's", "# A", '<h2 dir="auto">A</h2>'],
  ["a table is a table", "|a|b|\n|-|-:|\n|1|2|", '<th scope="col" dir="auto">a</th>'],
  ["a tick says what it is", "- [x] a\n- [ ] b", '<span class="tick" role="img" aria-label="done">☑</span>'],
  ["a struck text is struck", "~~a~~", "<del>a</del>"],
  ["markup is a text", "a <b onclick=x>b</b>", '<code class="html">&#x3C;b onclick=x></code>'],
  [
    "a link says where it leads",
    "[a](https://e.com/x?y)",
    '<a href="https://e.com/x?y" rel="noreferrer noopener nofollow">a</a> <span class="host">(e.com)</span>',
  ],
  ["a script is no link", "[a](javascript:x())", 'a <code class="address">javascript:x()</code>'],
  ["a path of ours is no link", "[a](/steward/holds)", 'a <code class="address">/steward/holds</code>'],
  ["nor is another host's without its scheme", "[a](//e.com)", 'a <code class="address">//e.com</code>'],
  [
    "an image is a link",
    "![cat](https://e.com/c.png)",
    '<a href="https://e.com/c.png" rel="noreferrer noopener nofollow" class="image">Image: cat</a>',
  ],
  [
    "an image within a link is its name",
    "[![cat](https://e.com/c.png)](https://f.com)",
    '<span class="image">Image: cat</span></a> <span class="host">(f.com)</span>',
  ],
  [
    "a memo's name leads to the memo",
    "see [[Road map|the map]]",
    '<a href="/steward/memos?title=Road%20map" class="memo" title="Road map">the map</a>',
  ],
  ["a value's place is code", "{{payload.a_b_c}}", '<code class="template">{{payload.a_b_c}}</code>'],
  ["what turns the line is shown", "a\u202Eb", "a\\u202eb"],
  ["also in code", "`a\u202Eb`", "<code>a\\u202eb</code>"],
  ["front matter is folded", "---\na: 1\n---\nb", "<summary>Front matter, 1 line</summary>"],
  ["what costs too much is shown as written", "> ".repeat(40) + "a", "levels of lists and quotes"],
])("%s", async (_what, text, expected) => {
  expect(await html(text)).toContain(expected);
});
