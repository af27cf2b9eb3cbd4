import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMemoFile } from "../../../lib/memos/memo-file.ts";

const read = (text: string, path = "notes.md") => {
  const answer = readMemoFile(path, text);
  if (!answer.ok) throw new Error(answer.message);
  return answer.file;
};

describe("the title of a file", () => {
  test.each([
    ["# The `psql` *Prompt* ##\n\ntext", "The psql Prompt"],
    ["text\n\n# Later\n# Second", "Later"],
    ["Underlined\n==========\ntext", "Underlined"],
    ["```sh\n# not this\n```\n# This", "This"],
    ["~~~\n```\n# not this\n~~~\n# This", "This"],
    ["\uFEFF# With a mark\r\ntext", "With a mark"],
    ["# Lone returns\rtext", "Lone returns"],
    ["---\ntitle: Front\n---\ntext", "Front"],
    ["---\ntitle: Front\n---\n# Heading", "Heading"],
    ["#tag is no heading", "notes"],
    ["#  \ntext", "notes"],
    ["", "notes"],
  ])("of %j is %s", (text, title) => {
    expect(read(text).title).toBe(title);
  });
});

test("a file's folder is a tag beside those of its front matter", () => {
  expect(read("---\ntags: [a, 2024, a]\n---\n", "til/postgres/x.md").tags).toEqual(["a", "2024", "postgres"]);
  expect(read("---\ntags: a, b\n---\n", "x.md").tags).toEqual(["a", "b"]);
  expect(read("---\n---\n", "x.md").tags).toEqual([]);
});

test("a file with the sections of a workflow is one, also with one of them misspelt", () => {
  const sections = "# T\n## Triger\n## Load Contract\n## Steps\n## Policy\n";
  expect(read(sections).memoType).toBe("workflow");
  expect(read(`\`\`\`md\n${sections}\n\`\`\``).memoType).toBe("note");
  expect(read("# T\n## Steps\n## Policy\n").memoType).toBe("note");
  expect(read("---\ntype: workflow\n---\n# T").memoType).toBe("workflow");
  expect(read("---\nmemoType: note\n---\n" + sections).memoType).toBe("note");
  expect(read("---\ntype: post\n---\n# T").memoType).toBe("note");
});

test("front matter that cannot be read refuses the file and says where", () => {
  expect(readMemoFile("x.md", "---\ntags: [a\n---\n")).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^the front matter is not YAML: .*line/),
  });
  expect(readMemoFile("x.md", "---\nvisibility: secret\n---\n")).toMatchObject({
    ok: false,
    message: expect.stringMatching(/at visibility/),
  });
  const bomb = "---\na: &a [x,x]\nb: &b [*a,*a]\ntags: [*b,*b]\n---\n";
  expect(readMemoFile("x.md", bomb)).toMatchObject({ ok: false });
});

test("prose between two rules is no front matter", () => {
  expect(read("---\njust a sentence\n---\n# T")).toMatchObject({ title: "T", tags: [] });
});

test("any text is read or refused, never a crash", () => {
  const piece = fc.constantFrom(
    "---\n",
    "tags: [",
    "id: ",
    "# ",
    "## Policy\n",
    "```\n",
    "\r",
    "\uFEFF",
    "{",
    "- ",
    "&a *a",
    "\ud800",
  );
  const text = fc.array(fc.oneof(piece, fc.string({ unit: "binary" }))).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.string({ unit: "binary" }), (given, path) => {
      const answer = readMemoFile(path, given);
      return answer.ok ? typeof answer.file.title === "string" : answer.message !== "";
    }),
  );
  expect(readMemoFile("x.md", `---\n${"[".repeat(100_000)}\n---\n`).ok).toBe(false);
});
