import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { clientOf, problemOf, send, type Answer } from "../e2e/client.ts";
import { writesOf } from "../e2e/test-host.ts";
import { givenPages } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let pages: Awaited<ReturnType<typeof givenPages>>;
beforeAll(async () => {
  pages = await givenPages([{ uid: "bo", ownerUid: "owner" }]);
});
afterAll(() => pages.stop());

const FORM = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" };
const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${pages.host.url}${path}`, {
    method: "POST",
    redirect: "manual",
    body: new URLSearchParams(form).toString(),
    headers: { ...FORM, ...headers },
  });
const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(pages.host, { method: "GET", path, headers });

const linkOf = async (key: string): Promise<string> =>
  (await clientOf(pages.host, key).post<{ path: string }>("/api/sign-in-links", {})).path;
const tokenOf = (path: string): string => new URL(path, pages.host.url).searchParams.get("t") ?? "";

/** The cookie of whoever signs in by a link of this key. */
async function cookieOf(key: string): Promise<string> {
  const answer = await post("/steward/sign-in", { token: tokenOf(await linkOf(key)) });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

test("a link signs its holder in, once", async () => {
  const { page, complaints } = await pages.signIn();
  expect(await page.title()).toBe("Holds · Mythos Loops");
  const path = await linkOf(pages.host.keys.stewardKey);
  for (const heading of ["Holds", "This link is no longer good"]) {
    await page.goto(path);
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(heading);
  }
  expect(complaints).toEqual([]);
});

test("looking at a link uses nothing up, and tells nobody's scripts of it", async () => {
  const path = await linkOf(pages.host.keys.stewardKey);
  for (let time = 0; time < 3; time++) expect((await get(path)).status).toBe(200);
  const answer = await post("/steward/sign-in", { token: tokenOf(path) });
  expect(answer.status).toBe(303);
  const [cookie = ""] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^mythos=[\w-]{43}; .*Path=\/; HttpOnly; SameSite=Strict$/);
  expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
});

test("of many who use a link at once, one comes in", async () => {
  const token = tokenOf(await linkOf(pages.host.keys.stewardKey));
  const answers = await Promise.all(Array.from({ length: 6 }, () => post("/steward/sign-in", { token })));
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 403, 403, 403, 403, 403]);
});

test("an agent's key makes no link: it can never become a person", async () => {
  const asked = await clientOf(pages.host, pages.host.keys.agentKey).ask("POST", "/api/sign-in-links", {});
  expect(problemOf(asked)).toMatchObject({ status: 403, code: "people_only" });
});

test("what names another library in a request changes nothing", async () => {
  const cookie = await cookieOf(pages.host.keys.stewardKey);
  const plain = await get("/steward/holds.json", { cookie });
  const forged = await get("/steward/holds.json?ownerUid=bo&owner=bo", { cookie, "x-owner-uid": "bo" });
  expect(plain.status).toBe(200);
  expect(JSON.parse(forged.text)).toEqual(JSON.parse(plain.text));
});

test("with the key that opened it a sign-in ends, and by signing out it ends alone", async () => {
  const owner = clientOf(pages.host, pages.host.keys.stewardKey);
  const made = await owner.post<{ key: string; keyId: string }>("/api/keys", {
    label: "short",
    kind: "human",
    scopes: ["holds:read", "keys:admin"],
  });
  const [of, out, stays] = [
    await cookieOf(made.key),
    await cookieOf(made.key),
    await cookieOf(pages.keys[0]!),
  ];
  const status = async (cookie: string) => (await get("/steward/holds", { cookie })).status;
  expect([await status(of), await status(out), await status(stays)]).toEqual([200, 200, 200]);
  expect((await post("/steward/sign-out", {}, { cookie: out })).status).toBe(403);
  const { text } = await get("/steward/holds", { cookie: out });
  const formToken = /name="formToken" value="([\w-]+)"/.exec(text)?.[1] ?? "";
  expect((await post("/steward/sign-out", { formToken }, { cookie: out })).status).toBe(303);
  expect([await status(of), await status(out)]).toEqual([200, 401]);
  await owner.ask("DELETE", `/api/keys/${made.keyId}`);
  expect([await status(of), await status(stays)]).toEqual([401, 200]);
});

describe("a form counts only from a page of the same sign-in", () => {
  const SNOOZE = "/steward/holds/many";
  test.each([
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a site beside ours", { "sec-fetch-site": "same-site" }],
    ["no site at all", { "sec-fetch-site": "none" }],
  ])("%s is refused before anything is read", async (_from, headers) => {
    const cookie = await cookieOf(pages.host.keys.stewardKey);
    const before = writesOf(pages.host);
    const answer = await post(SNOOZE, { act: "snooze" }, { cookie, ...headers });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("form_expired");
    expect(writesOf(pages.host)).toEqual(before);
  });

  test("without the browser's word the origin decides", async () => {
    const url = `${pages.host.url}/steward/sign-out`;
    const headers = { "content-type": FORM["content-type"], cookie: await cookieOf(pages.keys[0]!) };
    const { text } = await get("/steward/holds", { cookie: headers.cookie });
    const formToken = /name="formToken" value="([\w-]+)"/.exec(text)?.[1] ?? "";
    const body = new URLSearchParams({ formToken }).toString();
    const from = async (origin: Record<string, string>) =>
      (await fetch(url, { method: "POST", redirect: "manual", body, headers: { ...headers, ...origin } }))
        .status;
    expect(await from({ origin: "https://evil.example" })).toBe(403);
    expect(await from({ origin: "null" })).toBe(403);
    expect(await from({})).toBe(403);
    expect(await from({ origin: pages.host.url })).toBe(303);
  });
});

test("every answer of the pages says what a browser may do with it", async () => {
  const cookie = await cookieOf(pages.host.keys.stewardKey);
  for (const [path, status] of [
    ["/steward/holds", 200],
    ["/steward/nothing", 404],
    ["/steward/holds/hold_none", 404],
    ["/steward/sign-in", 200],
  ] as const) {
    const answer = await get(path, { cookie });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(answer.headers.get("content-security-policy")).not.toContain("unsafe");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  }
  const { text } = await get("/steward/holds", { cookie });
  const href = /href="(\/steward\/assets\/steward\.css\?v=\w+)"/.exec(text)?.[1] ?? "";
  expect((await get(href)).headers.get("cache-control")).toContain("immutable");
});

test("signing in is on record: who made the link, and who came in by it", async () => {
  await cookieOf(pages.keys[0]!);
  const owner = clientOf(pages.host, pages.host.keys.stewardKey);
  const acts = await owner.all<{ act: string; username: string }>("/api/audit");
  const lately = acts.slice(0, 2).map(({ act, username }) => [act, username]);
  expect(lately).toEqual([
    ["signed_in", "bo"],
    ["sign_in_link_made", "bo"],
  ]);
});

test("a value of a path that no store takes as a key is a bad request, on a page as on its twin", async () => {
  const cookie = await cookieOf(pages.keys[0]!);
  const long = "x".repeat(3000);
  for (const list of ["holds", "runs", "sessions", "memos", "workflows"]) {
    for (const end of ["", ".json"]) {
      expect((await get(`/steward/${list}/${long}${end}`, { cookie })).status).toBe(400);
    }
  }
  for (const act of ["decision", "take-back", "snooze", "preview"]) {
    expect((await post(`/steward/holds/${long}/${act}`, {}, { cookie })).status).toBe(400);
  }
});

test("nobody is told the same by a page and by its twin", async () => {
  expect((await get("/steward/holds")).status).toBe(401);
  const twin = await get("/steward/holds.json");
  expect(problemOf(twin)).toMatchObject({ status: 401, code: "unauthenticated" });
  expect((await get("/steward/holds.json", { cookie: "mythos=x" })).status).toBe(401);
});
