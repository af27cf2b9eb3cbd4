import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { manifestSchema, payloadSchema } from "../../../lib/workflows/json-schema.ts";
import { Manifest, type Input, type Invoke } from "../../../lib/workflows/manifest.ts";
import { checkPayload } from "../../../lib/workflows/payload.ts";

const MANIFESTS = new URL("../../fixtures/examples/manifests/", import.meta.url);
const manifests = readdirSync(MANIFESTS).map((file) => ({
  file,
  manifest: JSON.parse(readFileSync(new URL(file, MANIFESTS), "utf8")) as Manifest,
}));

const accepts = (schema: object, value: unknown): boolean =>
  z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value).success;

describe("the published schema of a manifest", () => {
  const schema = manifestSchema();

  it("is JSON Schema 2020-12 and lets nothing through that it does not name", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(schema["additionalProperties"]).toBe(false);
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it("is the one that is published beside the code", async () => {
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot("../../../schemas/manifest.schema.json");
  });

  it.each(manifests)("takes $file", ({ manifest }) => {
    expect(accepts(schema, manifest)).toBe(true);
  });

  it("does not take a manifest with a field more, a field less, or another approval", () => {
    for (const { manifest } of manifests) {
      expect(accepts(schema, { ...manifest, more: 1 })).toBe(false);
      expect(accepts(schema, { ...manifest, policy: undefined })).toBe(false);
      const approval = { mode: "maybe", unless: null };
      expect(accepts(schema, { ...manifest, policy: { ...manifest.policy, approval } })).toBe(false);
    }
  });
});

describe("the published schema of a payload", () => {
  const input = (name: string, type: Input["type"], more: Partial<Input> = {}): Input => ({
    name,
    type,
    required: true,
    description: "",
    ...more,
  });
  const inputs = [
    input("topic", "string", { description: "what it is about" }),
    input("count", "number", { required: false, default: 3 }),
    input("page", "url", { required: false }),
    input("target", "memo", { required: false }),
    input("sure", "boolean", { required: false }),
    input("extra", "json", { required: false }),
  ];
  const workflow = (inputs: Input[], invoke: Invoke[] = [{ kind: "queue" }]) => ({
    title: "A workflow",
    trigger: {
      command: "/a",
      status: "live" as const,
      summary: "What it does",
      invoke,
      inputs,
      inputSchema: {},
    },
  });

  it("says what each input is", () => {
    expect(payloadSchema(workflow(inputs))).toMatchObject({
      title: "A workflow (/a)",
      description: "What it does",
      required: ["topic"],
      additionalProperties: false,
      properties: {
        topic: { type: "string", description: "what it is about" },
        count: { type: ["number", "null"], default: 3 },
      },
    });
  });

  it.each([
    { topic: "x" },
    {},
    { topic: null },
    { topic: 1 },
    { topic: "x", count: 1.5 },
    { topic: "x", count: "1" },
    { topic: "x", count: null },
    { topic: "x", page: "https://a.example/b" },
    { topic: "x", page: "javascript:alert(1)" },
    { topic: "x", target: "memo_1" },
    { topic: "x", target: "../x" },
    { topic: "x", sure: "false" },
    { topic: "x", extra: { a: [1] } },
    { topic: "x", topik: "y" },
    { topic: "x", memoId: "memo_1" },
  ])("takes %j when and only when the check at enqueue does", (payload) => {
    for (const invoke of [[{ kind: "queue" as const }], [{ kind: "memo" as const, tag: "t" }]]) {
      for (const declared of [inputs, []]) {
        const given = workflow(declared, invoke);
        expect(accepts(payloadSchema(given), payload)).toBe(
          checkPayload(given.trigger, JSON.stringify(payload)).ok,
        );
      }
    }
  });

  it("takes the defaults of the examples", () => {
    const refused = manifests.flatMap(({ manifest }) => {
      const { properties } = payloadSchema(manifest) as { properties: Record<string, object> };
      const defaults = manifest.trigger.inputs.filter((input) => input.default !== undefined);
      return defaults.filter((input) => !accepts(properties[input.name] ?? {}, input.default));
    });
    expect(refused).toEqual([]);
  });
});
