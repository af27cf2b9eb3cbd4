import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Input } from "../../../lib/workflows/manifest.ts";
import { checkPayload } from "../../../lib/workflows/payload.ts";

const input = (name: string, type: Input["type"], more: Partial<Input> = {}): Input => ({
  name,
  type,
  required: true,
  description: "",
  ...more,
});
const INPUTS = [
  input("topic", "string"),
  input("audience", "string", { required: false, default: "future me" }),
  input("target", "memo", { required: false }),
];

const failingOf = (inputs: readonly Input[], text: string) => {
  const checked = checkPayload({ inputs: [...inputs], invoke: [] }, text);
  return checked.ok ? [] : checked.failing;
};

describe("checkPayload", () => {
  it("fills in defaults", () => {
    expect(checkPayload({ inputs: INPUTS, invoke: [] }, '{"topic":"Tea"}')).toEqual({
      ok: true,
      payload: { topic: "Tea", audience: "future me" },
    });
  });

  it("leaves the payload free when no Input is declared", () => {
    expect(checkPayload({ inputs: [], invoke: [] }, '{"source":{"hash":"x"}}')).toEqual({
      ok: true,
      payload: { source: { hash: "x" } },
    });
  });

  it("takes null for an optional input and not for a required one", () => {
    expect(
      checkPayload({ inputs: INPUTS, invoke: [] }, '{"topic":"Tea","target":null,"audience":null}').ok,
    ).toBe(true);
    expect(failingOf(INPUTS, '{"topic":null}')).toEqual([
      { pointer: "/topic", message: "`topic` is required" },
    ]);
  });

  it("names the stranger that was meant", () => {
    expect(failingOf(INPUTS, '{"topik":"Tea"}')).toEqual([
      { pointer: "/topic", message: "`topic` is required" },
      { pointer: "/topik", message: "No Input is named `topik`. Did you mean `topic`?" },
    ]);
  });

  it("names all that is wrong at once", () => {
    expect(failingOf(INPUTS, '{"topic":1,"target":"a b"}').map(({ pointer }) => pointer)).toEqual([
      "/topic",
      "/target",
    ]);
  });

  it.each([
    ["string", '"x"', true],
    ["string", "1", false],
    ["number", "1.5", true],
    ["number", '"1"', false],
    ["boolean", "false", true],
    ["boolean", '"false"', false],
    ["url", '"https://a.example/b?c"', true],
    ["url", '"javascript:alert(1)"', false],
    ["url", '"http://"', false],
    ["memo", '"memo_1f"', true],
    ["memo", '"../x"', false],
    ["memo", '""', false],
    ["json", "[1]", true],
    ["json", "false", true],
  ] as const)("%s takes %s: %s", (type, value, ok) => {
    expect(checkPayload({ inputs: [input("x", type)], invoke: [] }, `{"x":${value}}`).ok).toBe(ok);
  });

  it.each(["[]", '"x"', "1", "null", "{", '{"a":1}}'])("%s is no payload", (text) => {
    expect(failingOf([], text).map(({ pointer }) => pointer)).toEqual([""]);
  });

  it("an empty body is an empty payload", () =>
    expect(checkPayload({ inputs: [], invoke: [] }, " ")).toEqual({ ok: true, payload: {} }));

  it("any JSON object passes where nothing is declared, names like __proto__ included", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor")), fc.jsonValue()),
        (value) => {
          const text = JSON.stringify(value);
          const checked = checkPayload({ inputs: [], invoke: [] }, text);
          expect(checked.ok && JSON.stringify(checked.payload)).toBe(JSON.stringify(JSON.parse(text)));
        },
      ),
    );
  });
});

describe("a member that no Input names", () => {
  const trigger = { inputs: INPUTS, invoke: [] };

  it("is a failure that names what was meant", () => {
    expect(checkPayload(trigger, '{"topic":"Tea","topik":"Tea"}')).toEqual({
      ok: false,
      failing: [{ pointer: "/topik", message: "No Input is named `topik`. Did you mean `topic`?" }],
    });
  });

  it("is a failure that lists the Inputs when nothing is near", () => {
    const checked = checkPayload(trigger, '{"topic":"Tea","colour":"blue"}');
    expect(checked.ok ? "" : checked.failing[0]?.message).toMatch(
      /^No Input is named `colour`\. Inputs here: topic,/,
    );
  });

  it("passes when a tag fills it in, and only then", () => {
    const text = '{"topic":"Tea","memoId":"memo_1","title":"Tea","tags":[]}';
    expect(checkPayload({ ...trigger, invoke: [{ kind: "memo", tag: "inbox" }] }, text).ok).toBe(true);
    expect(checkPayload(trigger, text).ok).toBe(false);
  });
});
