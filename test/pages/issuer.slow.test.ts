import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ENV } from "../../functions/env.ts";
import { startHost, type Host } from "../../infra/local/host.ts";
import { startIssuer } from "../support/oidc-issuer.ts";
import { ARGS, CHROMIUM } from "./browser.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const CLIENT = "mythos-pages";
const dataDir = mkdtempSync(join(tmpdir(), "loops-"));
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let host: Host;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  issuer = await startIssuer(CLIENT);
  const signIn = {
    issuer: issuer.url,
    audience: [CLIENT],
    ownerClaim: null,
    ownerUid: "owner",
    seed: "a seed of this deployment",
  };
  const env = { [ENV.signIn]: JSON.stringify(signIn) };
  host = await startHost({ dataDir, port: 0, quiet: true, env });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
});
beforeEach(async () => {
  issuer.says.spoil = {};
  issuer.says.refuses = "";
  page = await (await browser.newContext({ baseURL: host.url })).newPage();
});
afterAll(async () => {
  await browser.close();
  await host.stop();
  await issuer.stop();
  rmSync(dataDir, { recursive: true });
});

const heading = () => page.getByRole("heading", { level: 1 }).textContent();

/** As a person would: from the page they want, by their organisation. */
async function signInFrom(path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole("link", { name: "Sign in with your organisation" }).click();
}

test("a person of the issuer comes back to the page that was asked for, as themselves", async () => {
  await signInFrom("/steward/holds?state=snoozed");
  await page.waitForURL("**/steward/holds?state=snoozed");
  expect(await heading()).toBe("Holds");
  expect(await page.locator(".who bdi").textContent()).toBe("ana@example.org");
  const cookies = await page.context().cookies();
  expect(cookies).toMatchObject([{ name: "mythos", httpOnly: true, sameSite: "Strict" }]);
});

test.each([
  ["another issuer", { iss: "http://127.0.0.1:1" }],
  ["another audience", { aud: "somebody-else" }],
  ["a nonce of another way", { nonce: "x" }],
  ["an end that has come", { exp: 1 }],
])("a token with %s signs nobody in", async (_what, spoil) => {
  issuer.says.spoil = spoil;
  await signInFrom("/steward/holds");
  expect(await heading()).toBe("Signing in did not work");
  expect((await page.goto("/steward/holds"))?.status()).toBe(401);
});

test("whom the issuer refuses is told so, and nothing of what it said beside its code", async () => {
  issuer.says.refuses = "access_denied";
  await signInFrom("/steward/holds");
  expect(await heading()).toBe("Signing in did not work");
  expect(await page.locator("main").textContent()).toContain("access_denied");
});

test("a way back that this browser did not begin signs nobody in", async () => {
  await signInFrom("/steward/holds");
  await page.waitForURL("**/steward/holds");
  const stranger = await (await browser.newContext({ baseURL: host.url })).newPage();
  const answer = await stranger.goto("/steward/sign-in/callback?code=x&state=y");
  expect(answer?.status()).toBe(403);
  expect(await stranger.context().cookies()).toEqual([]);
});

test("nobody is sent on to another site", async () => {
  for (const next of [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/steward/../x",
    "/api/keys",
  ]) {
    await page.goto(`/steward/sign-in/issuer?next=${encodeURIComponent(next)}`);
    await page.waitForURL(`${host.url}/steward/holds`);
    expect(await page.locator(".who bdi").textContent()).toBe("ana@example.org");
  }
});
