import { expect, test } from "vitest";
import { htmlText } from "../../../lib/sources/html-text.ts";

test("a page becomes its title and its lines of text, without scripts, styles and comments", () => {
  const html = `<!DOCTYPE html><html><head><title>Tea &amp; water</title><style>p { color: red }</style></head>
    <body><!-- <p>hidden</p> --><h1>Tea</h1>
    <script>if (a < b) document.write("<p>no</p>")</script>
    <p>Water   first,<br>then <b>leaves</b>.</p><ul><li>green<li>black</ul>
    <svg><text>no</text></svg></body></html>`;
  expect(htmlText(html)).toEqual({
    title: "Tea & water",
    text: "Tea\nWater first,\nthen leaves.\n- green\n- black",
  });
});

test.each([
  ["a sign is no tag", "1 < 2 and <3 & x > y", "1 < 2 and <3 & x > y"],
  ["a > in an attribute ends no tag", '<a title="a > b">link</a> after', "link after"],
  [
    "entities are read once",
    "&amp;lt;b&amp;gt; &#65;&#x1F389; &unknown; &#xD800;",
    "&lt;b&gt; A🎉 &unknown; \uFFFD",
  ],
  ["a script that never closes is silent to the end", "before<script>x = '<p>y</p>'", "before"],
  ["a head that never closes hides nothing", "<head><p>text", "text"],
  ["a tag that never closes is dropped", "text <a href='x", "text"],
  ["upper case is the same", "<P>One</P><SCRIPT>no</SCRIPT><P>Two", "One\nTwo"],
  ["no HTML at all stays", "just words", "just words"],
])("%s", (_name, html, text) => {
  expect(htmlText(html).text).toBe(text);
});

test("1 MB of the worst markup is gone over once, not once for each mark", () => {
  for (const piece of [
    "<",
    "<head>",
    "<title",
    "<script>",
    "<a b='",
    "<!--",
    "&#",
    "<svg",
    "</",
    "<p ",
    '<a ="',
  ]) {
    const startedAt = performance.now();
    htmlText(piece.repeat(Math.floor((1024 * 1024) / piece.length)));
    expect(performance.now() - startedAt).toBeLessThan(3000);
  }
});
