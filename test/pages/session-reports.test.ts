import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { AuditEntry } from "../../lib/audit/entry.ts";
import type { Message } from "../../lib/sessions/mailbox.ts";
import type { Session } from "../../lib/sessions/session.ts";
import { clientOf, type Client, type RunRecord } from "../e2e/client.ts";
import { givenPages, type Visitor } from "./browser.ts";
import { untilSaid } from "./deciding.ts";
import { ONE_OF_EACH, openedBefore, openToday, passOver } from "./fleet.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const LIST = "/steward/session-reports";
const SCHEDULES = "/api/workflows/session-steward/schedules";

let pages: Awaited<ReturnType<typeof givenPages>>;
let visitor: Visitor;
let agent: Client;
let steward: Client;
let today: Awaited<ReturnType<typeof openToday>>;
beforeAll(async () => {
  pages = await givenPages([], openedBefore(ONE_OF_EACH));
  const { host } = pages;
  agent = clientOf(host, host.keys.agentKey);
  steward = clientOf(host, host.keys.stewardKey);
  today = await openToday(agent, steward);
  visitor = await pages.signIn();
});
afterAll(() => pages.stop());

const sessionNamed = async (name: string): Promise<Session> => {
  const items = await steward.all<Session>("/api/internal/sessions");
  return items.find((session) => session.name === name)!;
};
const statusOfSchedule = async () =>
  (await steward.get<{ items: { status: string }[] }>(SCHEDULES)).items.map(({ status }) => status);
const acts = async (...of: string[]) =>
  (await steward.all<AuditEntry>("/api/audit")).filter(({ act }) => of.includes(act));
const mailOf = async (sessionId: string) =>
  (await agent.post<{ mailbox: Message[] }>(`/api/internal/sessions/${sessionId}/heartbeat`, {})).mailbox;
const rowOf = (name: string) => visitor.page.getByRole("row", { name });
const post = (path: string, form: Record<string, string>, by = visitor) =>
  by.page.request.post(path, {
    form,
    headers: { origin: pages.host.url, "sec-fetch-site": "same-origin" },
    maxRedirects: 0,
  });
const tokenOf = (by = visitor) => by.page.locator('input[name="formToken"]').first().inputValue();

test("says in words that there is no report yet, and looks by keyboard alone, as a dry run unless told otherwise", async () => {
  const { page } = visitor;
  await page.goto(LIST);
  expect(await page.locator("main").innerText()).toContain("It has not looked yet.");
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate("document.activeElement.textContent")) === "Look now") break;
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(/session-reports\/run_/);
  await untilSaid(page, /Dry run\. Nothing was ended and nothing flagged/);
  expect(await rowOf("finished long ago").innerText()).toMatch(/2 h[\s\S]*done[\s\S]*by the rules[\s\S]*end/);
  expect(await rowOf("a person’s own").innerText()).toMatch(
    /\(a person’s\)[\s\S]*flag \(a person's session\)/,
  );
  expect((await sessionNamed("finished long ago")).status).toBe("live");
  expect(await page.getByRole("link", { name: /^Session report/ }).count()).toBe(1);
});

test("has a twin with the report as the API answers it, and shows what sessions wrote as text", async () => {
  const { page, complaints } = visitor;
  const runId = await passOver(pages);
  await page.goto(`${LIST}/${runId}`);
  const twin = (await (await page.request.get(`${LIST}/${runId}.json`)).json()) as {
    rows: { sessionId: string }[];
  };
  const { rows, ...api } = await steward.get<{ rows: { sessionId: string }[] }>(
    `/api/session-reports/${runId}`,
  );
  expect(twin).toMatchObject(api);
  const byId = (some: typeof rows) => some.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
  expect(byId(twin.rows)).toMatchObject(byId(rows));
  expect(rows).toHaveLength(ONE_OF_EACH.length);
  expect(await page.locator("main img, main b[onmouseover], main script").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("asked twice by one press it is one pass, and by another press another", async () => {
  const { page } = visitor;
  await page.goto(LIST);
  const press = await page.locator('input[name="press"]').inputValue();
  const form = { formToken: await tokenOf(), press, how: "dry" };
  const [one, two] = await Promise.all([post(`${LIST}/look`, form), post(`${LIST}/look`, form)]);
  expect(one.status()).toBe(303);
  expect(two.headers()["location"]).toBe(one.headers()["location"]);
  const other = await post(`${LIST}/look`, { ...form, press: "another" });
  expect(other.headers()["location"]).not.toBe(one.headers()["location"]);
  await page.goto(other.headers()["location"]!);
  await untilSaid(page, /Dry run\. Nothing was ended/);
});

test("is switched on and off, and says when it comes next", async () => {
  const { page } = visitor;
  await page.goto(LIST);
  const by = page.getByRole("region", { name: "By itself" });
  expect(await by.innerText()).toMatch(/off every hour/);
  await page.getByRole("button", { name: "Switch it on" }).click();
  expect(await by.innerText()).toMatch(/on every hour, next in \d+ (min|s|h)/);
  expect(await statusOfSchedule()).toEqual(["live"]);
  await page.getByRole("button", { name: "Switch it off" }).click();
  expect(await by.innerText()).toMatch(/off every hour/);
  expect(await statusOfSchedule()).toEqual(["paused"]);
  expect((await acts("schedule_switched")).map(({ verdict }) => verdict)).toEqual(["paused", "live"]);
});

test("sends a session the proposed word once, and shows that it is sent and by whom", async () => {
  const { page } = visitor;
  const runId = await passOver(pages);
  await page.goto(`${LIST}/${runId}`);
  const says = await page.locator("li.card", { hasText: "goes in circles" }).locator("p.small").innerText();
  await page.getByRole("button", { name: "Send it to goes in circles" }).click();
  expect(await page.getByRole("status").innerText()).toContain("in the session’s mailbox");
  expect(await page.locator("li.card", { hasText: "goes in circles" }).innerText()).toMatch(/sent\s+by root/);
  expect(await page.getByRole("button", { name: "Send it to goes in circles" }).count()).toBe(0);
  const again = { formToken: await tokenOf(), session: today.looping };
  expect((await post(`${LIST}/${runId}/nudge`, again)).status()).toBe(303);
  const mail = await mailOf(today.looping);
  expect(mail).toMatchObject([{ kind: "nudge" }]);
  expect(says).toBe(`“${mail[0]!.text}”`);
  // One that is only seen is a person's to send as well.
  await page.getByRole("button", { name: "Send it to a person’s, that failed" }).click();
  expect(await mailOf(today.persons)).toHaveLength(1);
  // What was not proposed cannot be sent, whatever a form says.
  const forged = await post(`${LIST}/${runId}/nudge`, {
    ...again,
    session: (await sessionNamed("nobody knows")).sessionId,
  });
  expect(forged.status()).toBe(409);
  expect(await forged.text()).toContain("nothing_proposed");
});

test("puts on record how a person sees a session, and shows it to later judges", async () => {
  const { page } = visitor;
  const runId = await passOver(pages);
  await page.goto(`${LIST}/${runId}`);
  const row = rowOf("nobody knows");
  await row.getByText("Say what it is …").click();
  await row.getByLabel("It is").selectOption("blocked");
  await row.getByLabel("Because").fill("it waits for the review");
  await row.getByRole("button", { name: "Put on record" }).click();
  expect(await page.getByRole("status").innerText()).toContain("you see it otherwise");
  expect(await row.innerText()).toContain("root sees it as blocked");
  expect(await row.getByRole("button").count()).toBe(0);
  const { sessionId } = await sessionNamed("nobody knows");
  expect(await acts("verdict_disagreed")).toMatchObject([
    { runId, ofSessionId: sessionId, verdict: "blocked" },
  ]);
  const { steps } = await steward.get<RunRecord>(`/api/runs/${await passOver(pages)}`);
  const ledger = steps.find(({ id }) => id === "disagreements") as { output: string };
  expect(JSON.parse(ledger.output)).toMatchObject({
    events: [
      {
        kind: "disagreement",
        item: sessionId,
        payload: { operatorVerdict: "blocked", note: "it waits for the review" },
      },
    ],
  });
});

test("puts on record that a person sees a session as the report does", async () => {
  const { page } = visitor;
  const runId = await passOver(pages);
  await page.goto(`${LIST}/${runId}`);
  const row = rowOf("a person’s, that is over");
  expect(await row.innerText()).toMatch(
    /done\s+(by its own word|from the memory)\s+1\.00\s+flag \(a person's session\)/,
  );
  await row.getByRole("button", { name: "Agree" }).click();
  expect(await page.getByRole("status").innerText()).toContain("you see it as the report does");
  expect(await row.innerText()).toContain("root agrees");
  const { sessionId } = await sessionNamed("a person’s, that is over");
  expect(await acts("verdict_agreed")).toMatchObject([{ runId, ofSessionId: sessionId, verdict: "done" }]);
  await page.goto("/steward/audit");
  expect(await page.locator("li.card").first().innerText()).toContain(
    "saw a session as “done”, as its judge did",
  );
});

test("needs no script: it looks, acts, and says of a session what became of it", async () => {
  const plain = await pages.signIn(undefined, { javaScriptEnabled: false });
  const { page, context } = plain;
  await page.goto(LIST);
  await page.getByLabel("Look and act").check();
  await page.getByRole("button", { name: "Look now" }).click();
  await page.waitForURL(/session-reports\/run_/);
  await untilSaid(page, /It acted\. 3 ended, 2 flagged, 0 refused/);
  expect(await page.getByRole("row", { name: "finished long ago" }).innerText()).toMatch(
    /ended\s+end \(rules\)/,
  );
  await page.getByRole("link", { name: "finished long ago" }).click();
  expect(await page.locator(".note").innerText()).toMatch(/Its steward ended it as done, by the rules/);
  await page.goto("/steward/sessions");
  expect(await page.locator("li.card", { hasText: "a person’s own" }).innerText()).toContain(
    "flagged: needs-input",
  );
  await page.getByRole("link", { name: "a person’s own" }).click();
  expect(await page.locator(".note").innerText()).toMatch(/Somebody should look at it/);
  await page.goto(LIST);
  expect(await page.locator("li.card").first().innerText()).toMatch(/Look and act[\s\S]*asked by root/);
  await context.close();
});

test("a reader sees no form, and what a reader sends, or a form of another sign-in, writes nothing", async () => {
  const runId = await passOver(pages);
  const scopes = ["holds:read", "memos:read", "runs:read"];
  const { key } = await steward.post<{ key: string }>("/api/keys", { label: "reads", kind: "human", scopes });
  const reader = await pages.signIn(key);
  const before = [
    await acts("session_nudged", "verdict_disagreed", "verdict_agreed", "schedule_switched"),
    await mailOf(today.stalled),
  ];
  const forms: [string, Record<string, string>][] = [
    [`${LIST}/look`, { press: "forged", how: "act" }],
    [`${LIST}/schedule`, { status: "live" }],
    [`${LIST}/${runId}/nudge`, { session: today.stalled }],
    [
      `${LIST}/${runId}/disagree`,
      { session: (await sessionNamed("nobody knows")).sessionId, verdict: "done" },
    ],
  ];
  const passes = (await steward.all(`/api/session-reports`)).length;
  for (const path of [LIST, `${LIST}/${runId}`]) {
    await reader.page.goto(path);
    expect(await reader.page.locator("main form").count()).toBe(0);
  }
  const formToken = await tokenOf(reader);
  for (const [path, form] of forms) {
    expect((await post(path, { ...form, formToken }, reader)).status()).toBe(403);
    // A person who may, with a form that is not this sign-in's.
    expect((await post(path, { ...form, formToken })).status()).toBe(403);
  }
  expect(await statusOfSchedule()).toEqual(["paused"]);
  expect((await steward.all(`/api/session-reports`)).length).toBe(passes);
  expect([
    await acts("session_nudged", "verdict_disagreed", "verdict_agreed", "schedule_switched"),
    await mailOf(today.stalled),
  ]).toEqual(before);
  await reader.context.close();
});

test("refuses what no form of it says, as a page", async () => {
  await visitor.page.goto(LIST);
  const formToken = await tokenOf();
  const refused = async (path: string, form: Record<string, string>) => {
    const answer = await post(path, { ...form, formToken });
    return [answer.status(), /<code>([a-z_]+)<\/code>/.exec(await answer.text())?.[1]];
  };
  expect(await refused(`${LIST}/schedule`, { status: "maybe" })).toEqual([400, "invalid_request"]);
  expect(await refused(`${LIST}/look`, { press: "a press", how: "dry" })).toEqual([400, "invalid_request"]);
  expect(await refused(`${LIST}/run_of-nobody-1/nudge`, { session: "x" })).toEqual([404, "run_not_found"]);
  expect(visitor.complaints).toEqual([]);
});
