import type { Dialog } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { clientOf, eventually, heldDraft, type Client, type Hold } from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import { givenPages, type Visitor } from "./browser.ts";
import { HOSTILE } from "./hostile.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const TEXTS = Object.entries(HOSTILE);
const TITLE = `</title><script>alert(1)</script> \u202E"onmouseover="alert(2)`;
const TOPIC = `</pre><img src=x onerror=alert(1)> [a](javascript:alert(2)) ![b](https://evil.example/b.png) \u202Ereversed`;

let pages: Awaited<ReturnType<typeof givenPages>>;
let steward: Client;
let visitor: Visitor;
let hold: Hold;
let runId: string;
const dialogs: string[] = [];
beforeAll(async () => {
  pages = await givenPages();
  steward = clientOf(pages.host, pages.host.keys.stewardKey);
  await importFiles(steward, demoLibrary());
  ({ hold, runId } = await heldDraft(clientOf(pages.host, pages.host.keys.agentKey), TOPIC));
  visitor = await pages.signIn();
  visitor.page.on("dialog", (dialog: Dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
});
afterAll(() => pages.stop());

const memoOf = (body: string, memoType: "note" | "workflow" = "note") =>
  steward.post<{ memoId: string }>("/api/memos", {
    title: TITLE,
    body,
    notes: body,
    tags: [`<b>"' onclick=x`],
    memoType,
  });

/** What must never come out of somebody's text, wherever on a page it stands. */
const ALIVE = [
  "script, style, iframe, object, embed, video, img, form, button, input, meta, link, base, svg, math",
  "[id], [name], [style], [onerror], [onload], [onclick], [onmouseover], [onfocus], [ontoggle]",
  "a[href]:not([href^='https://'], [href^='http://'], [href^='mailto:'], [href^='/steward/memos?title='])",
].join(", ");

/** Characters that nobody can see, or that turn a line. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{DI}\u2028\u2029\uFFF9-\uFFFB]/u;

/** What is wrong with a page and with everything before it; nothing is. */
async function faultsAt(path: string): Promise<string[]> {
  const { page, complaints } = visitor;
  await page.goto(path);
  const { pathname } = new URL(page.url());
  const within = JSON.stringify(`:is(.prose, .written) :is(${ALIVE})`);
  const alive = await page.evaluate<string[]>(
    `Array.from(document.querySelectorAll(${within}), (each) => each.outerHTML.slice(0, 200))`,
  );
  // What is folded is somebody's text too.
  await page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
  const unseen = UNSEEN.exec(await page.locator("main").innerText());
  const main = await page.evaluate("document.getElementById('main') === document.querySelector('main')");
  return [
    ...(pathname === path.split("?")[0] ? [] : [`is at ${pathname}`]),
    ...((await page.locator("h1").count()) === 1 ? [] : ["has not one h1"]),
    ...alive.map((each) => `has ${each}`),
    ...(unseen ? [`has U+${unseen[0].codePointAt(0)?.toString(16)}`] : []),
    ...(main === true ? [] : ["is clobbered"]),
    ...complaints,
    ...dialogs.map((message) => `asked ${message}`),
  ];
}

test.each(TEXTS)("%s are shown in a memo, and do nothing", async (_what, text) => {
  const { memoId } = await memoOf(text);
  expect(await faultsAt(`/steward/memos/${memoId}`)).toEqual([]);
});

test("all of them together do nothing in a memo, its versions, its history and its comparison", async () => {
  const { memoId } = await memoOf("nothing yet");
  const all = TEXTS.map(([what, text]) => `# ${what}\n\n${text}`).join("\n\n");
  const changed = { body: all, notes: all, title: `${TITLE} again` };
  const answer = await steward.ask("PUT", `/api/memos/${memoId}`, changed, { "if-match": '"1"' });
  expect(answer.status).toBe(200);
  const path = `/steward/memos/${memoId}`;
  for (const each of ["", "?as=raw", "/versions/1", "/versions/2", "/versions/2?as=raw", "?from=1&to=2"]) {
    expect(await faultsAt(`${path}${each}`)).toEqual([]);
  }
});

test("they do nothing in lists, in a search, or as a filter", async () => {
  const asked = encodeURIComponent(`"><script>alert(1)</script> \u202E`);
  for (const query of [
    "",
    "?q=alert",
    `?q=${asked}`,
    `?tag=${asked}`,
    `?title=${asked}`,
    `?q=status:${asked}`,
  ]) {
    expect(await faultsAt(`/steward/memos${query}`)).toEqual([]);
  }
});

test("they do nothing in a workflow that does not compile, nor in a payload", async () => {
  const text = TEXTS.map(([what, each]) => `## ${what}\n- **Command** ${each}`).join("\n\n");
  const { memoId } = await memoOf(
    `# Trigger\n\n## Trigger\n- **Comand** \`<script>alert(1)</script>\`\n${text}`,
    "workflow",
  );
  const payload = encodeURIComponent(JSON.stringify({ topic: TOPIC }));
  for (const path of [
    "",
    `/${memoId}`,
    `/draft-memo?payload=${payload}`,
    `/draft-memo?payload=${encodeURIComponent("</textarea><script>alert(1)</script>")}`,
  ]) {
    expect(await faultsAt(`/steward/workflows${path}`)).toEqual([]);
  }
});

test("they do nothing in a draft that is held, however it is looked at", async () => {
  expect(hold.proposal?.text).toContain("evil.example");
  await eventually(async () => {
    await visitor.page.goto("/steward/holds");
    expect(await visitor.page.locator("main a[href*='/steward/holds/']").count()).toBeGreaterThan(0);
  });
  expect(await faultsAt("/steward/holds")).toEqual([]);
  for (const view of ["rendered", "raw", "payload", "loaded", "edit"]) {
    expect(await faultsAt(`/steward/holds/${hold.holdId}?view=${view}`)).toEqual([]);
  }
  expect(await faultsAt(`/steward/runs/${runId}`)).toEqual([]);
});

test("half a megabyte is laid out up to a point that is told, and the rest is there as it was written", async () => {
  const { memoId } = await memoOf(
    `${"A paragraph of *words* and [[names]].\n\n".repeat(13_000)}the very end`,
  );
  const { page } = visitor;
  expect(await faultsAt(`/steward/memos/${memoId}`)).toEqual([]);
  const text = page.getByRole("region", { name: "Text" });
  expect(await text.locator(".note").first().textContent()).toMatch(
    /^Only the first [\d,]+ of 5\d\d,\d{3} characters/,
  );
  expect(await text.locator("details .written").innerText()).toMatch(/the very end$/);
});
