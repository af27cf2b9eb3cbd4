import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasCode } from "../../../lib/core/errors.ts";
import { schemaFailures } from "../../../lib/model/check-schema.ts";
import { estimateTokens, type PromptPart } from "../../../lib/model/model.ts";
import { createOfflineModel } from "../../../lib/model/offline-adapter.ts";
import type { JsonSchema } from "../../../lib/model/schema.ts";
import { demoMemos, modelRequest, payload, tilNotes } from "../../support/model-request.ts";

const write = createOfflineModel();
const NOTES = tilNotes().slice(0, 12);
const TRIAGE: JsonSchema = {
  type: "object",
  required: ["label", "reason", "confidence"],
  properties: {
    reason: { type: "string", maxLength: 200 },
    label: { enum: ["do", "read", "reply", "drop", "needs-owner"] },
    confidence: { type: "number", minimum: 0, maximum: 1 },
  },
};

async function filled(
  schema: JsonSchema | null,
  parts: readonly PromptPart[],
  maxOutputTokens: number | null = null,
) {
  const instructions = "Pick exactly one label. If two fit, pick `needs-owner` and say why.";
  const reply = await write(modelRequest({ instructions, parts, returns: "json", schema, maxOutputTokens }));
  return { reply, value: JSON.parse(reply.text) as Record<string, unknown> };
}

const cannot = async (properties: Record<string, JsonSchema>, parts: readonly PromptPart[] = NOTES) => {
  const schema = { type: "object", required: Object.keys(properties), properties };
  const refused = await filled(schema, parts).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!hasCode(refused, "offline_cannot")) throw new Error("the schema was filled");
  return refused;
};

const judge = (title: string) => {
  const labels: PromptPart = { ...demoMemos().get("Triage labels")!, kind: "gate" };
  return filled(TRIAGE, [labels, payload({ memoId: "memo_1", title })]);
};

describe("triage", () => {
  test.each([
    ["A person asks whether the invitation still stands", "reply"],
    ["An article about queues, and a talk worth reading", "read"],
    ["Book the train and pay the ticket", "do"],
    ["Spring newsletter with adverts", "drop"],
  ])("sorts %j as %s by the words that the gate gives for it", async (title, label) => {
    const { value } = await judge(title);
    expect(value).toMatchObject({ label, confidence: 0.3 });
    expect(value["reason"]).toMatch(/^Offline writer, by shared words only: .+ point to "/);
  });

  test("takes the label that the rules give for doubt when no word decides", async () => {
    const { value } = await judge("Zebra");
    expect(value).toMatchObject({ label: "needs-owner", confidence: 0.3 });
    expect(value["reason"]).toContain("no shared word decides");
  });
});

describe("a filled schema", () => {
  test("keeps the order of the schema's fields", async () => {
    const { reply } = await filled(TRIAGE, [payload({ title: "x" })]);
    expect(Object.keys(JSON.parse(reply.text) as object)).toEqual(["reason", "label", "confidence"]);
  });

  test("lists passages with the memo that each is from", async () => {
    const items = {
      type: "array",
      minItems: 2,
      maxItems: 3,
      items: {
        type: "object",
        required: ["quote", "source"],
        properties: { quote: { type: "string" }, source: { type: "string" } },
      },
    };
    const { value } = await filled({ type: "object", required: ["items"], properties: { items } }, NOTES);
    const list = value["items"] as { quote: string; source: string }[];
    expect(list.length).toBeGreaterThanOrEqual(2);
    expect(list.length).toBeLessThanOrEqual(3);
    for (const { quote, source } of list) {
      const memo = NOTES.find((note) => note.title === source);
      expect(memo?.text.replace(/\s+/g, " ")).toContain(quote);
    }
  });

  test("takes a field that the payload states under the same name", async () => {
    const properties = { count: { type: "integer" }, url: { type: "string" } };
    const schema = { type: "object", required: ["count", "url"], properties };
    const { value } = await filled(schema, [payload({ count: 7, url: "https://example.com/a" })]);
    expect(value).toEqual({ count: 7, url: "https://example.com/a" });
  });

  test("leaves out what is optional and cannot be known", async () => {
    const properties = { due: { type: "string" }, note: { type: "string" } };
    const { value } = await filled({ type: "object", required: ["note"], properties }, NOTES);
    expect(Object.keys(value)).toEqual(["note"]);
  });

  test("without a schema is a list of passages with a low confidence", async () => {
    const { value } = await filled(null, NOTES);
    expect(value).toMatchObject({ confidence: 0.3 });
    expect((value["items"] as unknown[]).length).toBeGreaterThan(0);
  });

  test("has fewer items rather than more tokens than allowed", async () => {
    const { reply } = await filled(null, NOTES, 120);
    expect(estimateTokens(reply.text)).toBeLessThanOrEqual(120);
    expect(reply.stop).toBe("end");
  });

  test("fits its schema, or is refused with the field's name", async () => {
    const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
      fc.record({ type: fc.constant("string"), maxLength: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ type: fc.constant("string"), minLength: fc.integer({ min: 0, max: 80 }) }),
      fc.record({ type: fc.constant("boolean") }),
      fc.record({
        enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }),
      }),
      fc.record({
        type: fc.constantFrom("number", "integer"),
        minimum: fc.constant(0),
        maximum: fc.constant(5),
      }),
      fc.record({ type: fc.constant(["string", "null"]), minLength: fc.constant(900) }),
    );
    const list = fc.record({
      type: fc.constant("array"),
      items: leaf,
      minItems: fc.integer({ min: 0, max: 4 }),
    });
    const names = fc.constantFrom("label", "reason", "confidence", "title", "source", "due", "owner", "x/y");
    const object = fc.dictionary(names, fc.oneof(leaf, list)).map((properties) => ({
      type: "object",
      required: Object.keys(properties).slice(1),
      properties,
    }));
    await fc.assert(
      fc.asyncProperty(object, async (schema) => {
        const outcome = await filled(schema, NOTES.slice(0, 3)).then(
          ({ value }) => schemaFailures(schema, value),
          (error: unknown) => (hasCode(error, "offline_cannot") ? [] : [String(error)]),
        );
        expect(outcome).toEqual([]);
      }),
      { numRuns: 80 },
    );
  }, 60_000);
});

describe("offline_cannot", () => {
  test("names the step, the field and the line that sets a real model", async () => {
    const error = await cannot({ amount: { type: "number" } });
    expect(error.message).toMatch(/step "draft": "amount" is a number.*config\.json: \{"models"/);
    expect(error.details).toMatchObject({ stepId: "draft" });
  });

  test.each([
    ["a date that nothing states", { due: { type: "string" } }],
    ["a person", { owner: { type: "string" } }],
    ["a text longer than any passage", { body: { type: "string", minLength: 5000 } }],
    ["more items than there are passages", { items: { type: "array", minItems: 500 } }],
  ])("is the answer to %s", async (_what, properties) => {
    const error = await cannot(properties as Record<string, JsonSchema>);
    expect(error.details.what).toContain(Object.keys(properties)[0]);
  });
});
