import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commandOf } from "../../../lib/workflows/command.ts";
import { waitingReason } from "../../../lib/workflows/lane-state.ts";
import { parseWorkflow } from "../../../lib/workflows/parse.ts";
import { compileCase } from "./case-library.ts";

const CASES = new URL("../../fixtures/workflows/", import.meta.url);
const read = (name: string): string => readFileSync(new URL(`${name}/workflow.md`, CASES), "utf8");

describe("commandOf", () => {
  it.each(readdirSync(CASES))("says of %s what the compiler says", (name) => {
    const text = read(name);
    expect(commandOf(text)).toBe(parseWorkflow(text).draft.trigger?.command ?? null);
  });

  it("is null for a note", () => {
    expect(commandOf("# A note\n\n- **Command** `/not-a-workflow`\n")).toBe(null);
  });
});

describe("a lane may run", () => {
  const text = read("smallest");
  const withStatus = (status: string) =>
    compileCase(text.replace("- **Summary**", `- **Status** \`${status}\`\n- **Summary**`));

  it("when its workflow compiles and is live or staged", async () => {
    expect(waitingReason(await withStatus("live"))).toBe(null);
    expect(waitingReason(await withStatus("staged"))).toBe(null);
  });

  it("not when it is paused, a draft, says nothing, or does not compile", async () => {
    expect(waitingReason(await withStatus("paused"))).toBe("paused");
    expect(waitingReason(await withStatus("draft"))).toBe("draft");
    expect(waitingReason(await compileCase(text))).toBe("draft");
    expect(waitingReason(await withStatus("on"))).toBe("compile_error");
  });

  it("and what does not compile still says its command and status", async () => {
    const compiled = await compileCase(read("mw303-two-names"));
    expect(compiled).toMatchObject({ ok: false, command: "/case", status: "draft" });
  });
});
