import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { listedToolsText } from "../../../infra/openapi/agent-tools.ts";
import { AGENT_TOOLS, agentToolOf, INSTRUCTIONS } from "../../../lib/agent-tools/agent-tools.ts";
import { LISTED_TOOLS } from "../../../lib/agent-tools/listed-tool.ts";
import { PEOPLE_ONLY } from "../../../lib/core/principal.ts";

/** What every model of every client reads before it is asked anything; at four bytes a token both say the same. */
const MAX_TOKENS = 2500;
const MAX_BYTES = 4 * MAX_TOKENS;

/** At least as many as tokenizers of today count in JSON: words are cut at seven letters, and each mark counts. */
const tokensOf = (text: string): number =>
  (text.match(/[A-Za-z]{1,7}|\d{1,3}|[^\sA-Za-z\d]{1,3}/g) ?? []).length;

test("the list is what the tools declare; npm run openapi writes it anew", () => {
  const checkedIn = readFileSync("lib/agent-tools/listed-tools.json", "utf8");
  expect(checkedIn === listedToolsText(), "run npm run openapi").toBe(true);
});

test("the whole list with what is said at the beginning stays small", () => {
  const sent = JSON.stringify({ tools: LISTED_TOOLS, instructions: INSTRUCTIONS });
  expect(tokensOf(sent)).toBeLessThan(MAX_TOKENS);
  expect(Buffer.byteLength(sent)).toBeLessThan(MAX_BYTES);
  expect(AGENT_TOOLS.length).toBeLessThanOrEqual(12);
});

test("names are verb and noun, in snake case, and no tool is found by another text", () => {
  for (const { name } of AGENT_TOOLS) expect(name).toMatch(/^[a-z]+_[a-z]+$/);
  for (const name of ["", "__proto__", "constructor", "toString", "RUN_LOOP", "run_loop "]) {
    expect(agentToolOf(name)).toBeUndefined();
  }
});

test("outputs are open: what a later release adds is still of the form", () => {
  const ajv = new Ajv2020({ strict: false });
  expect(JSON.stringify(LISTED_TOOLS)).not.toContain("additionalProperties");
  for (const { outputSchema } of LISTED_TOOLS) expect(() => ajv.compile(outputSchema)).not.toThrow();
  const { outputSchema } = LISTED_TOOLS.find(({ name }) => name === "write_memo")!;
  expect(ajv.validate(outputSchema, { id: "memo_x", version: 1, later: {} })).toBe(true);
  expect(ajv.validate(outputSchema, { id: "memo_x" })).toBe(false);
});

test("no tool asks for what only people may have, and readers write nothing", () => {
  for (const { scope, hints, writes } of AGENT_TOOLS) {
    expect(PEOPLE_ONLY.has(scope)).toBe(false);
    expect(hints.readOnlyHint ?? false).toBe(!writes);
  }
  expect(AGENT_TOOLS.filter(({ name }) => /hold|approve|decide|key|pause|policy/.test(name))).toEqual([]);
});
