import { expect, test } from "vitest";
import { HoldContent } from "../../lib/pages/hold-content.tsx";
import type { HoldModel, HoldView } from "../../lib/pages/hold.tsx";
import type { Shown } from "../../lib/pages/shown.ts";

const lines = (word: string): string =>
  Array.from({ length: 10_000 }, (_, n) => `Line ${n} of a long ${word} about queues and lanes\n`).join("");
const TEXT = lines("draft");

/** What one way of looking at a proposal of 500 KB comes to. */
async function seen(view: HoldView, query: Record<string, string> = {}): Promise<string> {
  const proposal = { text: TEXT, zone: "body", tags: { body: [], notes: [] } };
  const before = { text: lines("memo"), tags: [], contentVersion: 1 };
  const hold = { holdId: "hold_1", kind: "output", payload: { topic: TEXT }, proposal };
  const model = { hold, view, before, now: null, earlier: lines("memo"), loads: [] };
  return String(await HoldContent({ model: model as unknown as HoldModel, shown: { query } as Shown }));
}

test("a proposal of 500 KB is shown in parts that say which they are, and every part can be reached", async () => {
  const found: string[] = [];
  for (let part = 1; part <= 5; part++) {
    const html = await seen("raw", { part: String(part) });
    expect(html).toContain(`part ${part} of 5`);
    expect(html.includes("Next part")).toBe(part < 5);
    found.push(/<code>([\s\S]*)<\/code><\/pre>/.exec(html)?.[1] ?? "");
  }
  expect(found.join("")).toBe(TEXT);
  for (const part of ["0", "9", "x", "-1", "1.5"])
    expect(await seen("raw", { part })).toMatch(/part [15] of 5/);
});

test("each way of looking at a proposal of 500 KB says what it leaves out", async () => {
  expect(await seen("rendered")).toMatch(/Only the first [\d,]+ of [\d,]+ characters are laid out/);
  expect(await seen("diff")).toContain("too different to compare");
  expect(await seen("revised")).toContain("too different to compare");
  expect(await seen("payload")).toMatch(/\([\d,]+ more characters\)/);
  for (const view of ["raw", "diff", "revised", "payload"] as const) {
    expect((await seen(view)).length).toBeLessThan(300_000);
  }
});
