import { describe, expect, test } from "vitest";
import { fromTemplate } from "../../../lib/cli/author/new.ts";
import { TEMPLATES } from "../../../lib/cli/author.ts";
import { REGISTRY } from "../../../lib/intake/workflow-library.ts";
import { compileWorkflow } from "../../../lib/workflows/compile.ts";
import { libraryOf } from "../../support/workflow-lookup.ts";

describe.each(TEMPLATES)("template %s", (name) => {
  const body = fromTemplate(name, "/my-own-name");
  const source = { memoId: "W-1", contentVersion: 1, contentHash: "sha256:t", body, title: "" };

  test("compiles without a word in an empty library, with what this release has", async () => {
    const compiled = await compileWorkflow(source, libraryOf([], REGISTRY), 0);
    expect(compiled.diagnostics).toEqual([]);
    expect(compiled.ok && compiled.manifest.trigger.command).toBe("/my-own-name");
    expect(compiled.ok && compiled.manifest.title).toBe("My own name");
  });

  test("does nothing by itself: a schedule starts paused", async () => {
    const compiled = await compileWorkflow(source, libraryOf([], REGISTRY), 0);
    const trigger = compiled.ok ? compiled.manifest.trigger : undefined;
    const isScheduled = trigger?.invoke.some(({ kind }) => kind === "schedule");
    expect(trigger?.status).toBe(isScheduled ? "paused" : "live");
  });

  test("has nothing of the template left in it", () => {
    expect(body).not.toMatch(/COMMAND|TITLE/);
  });
});
