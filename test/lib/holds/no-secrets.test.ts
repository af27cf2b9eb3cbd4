import { describe, expect, test } from "vitest";
import { noSecrets } from "../../../lib/holds/guards.ts";

/** Put together here: a whole one in a file would be reported by those who look for them. */
const letters = (count: number): string => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(20).slice(0, count);
const upper = (count: number): string => letters(count).toUpperCase();

const check = (text: string, given: { title?: string; body?: string[]; notes?: string[] } = {}) =>
  noSecrets({
    title: given.title ?? "Notes",
    text,
    tags: { body: given.body ?? [], notes: given.notes ?? [] },
  });

const SECRETS = [
  ["an AWS access key id", `AKIA${upper(16)}`],
  ["an AWS secret key", `aws_secret_access_key = ${letters(40)}`],
  ["an AWS secret key", `"SecretAccessKey": "${letters(38)}/+"`],
  ["a GitHub token", `ghp_${letters(36)}`],
  ["a GitLab token", `glpat-${letters(20)}`],
  ["an npm token", `//registry.example/:_authToken=npm_${letters(36)}`],
  ["a Hugging Face token", `HF_TOKEN=hf_${letters(34)}`],
  ["a Slack token", `xoxb-${letters(24)}`],
  ["a Slack token", `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${letters(24)}`],
  ["a Google API key", `?key=AIza${letters(35)}`],
  ["a Stripe key", `sk_live_${letters(24)}`],
  ["a Stripe key", `rk_live_${letters(24)}`],
  ["an API key of this system", `mk_${letters(12)}_${letters(43)}`],
  ["a model provider's key", `sk-proj-${letters(40)}`],
  ["a signed token", `Bearer eyJ${letters(30)}.eyJ${letters(60)}.${letters(43)}`],
  ["an address with a password", "postgres://app:hunter2@db.internal/main"],
  ["an address with a password", "redis://:s3cret@cache:6379"],
  ["an address with a password", "[feed](https://me:pa%40ss@example.org/feed)"],
  ["a private key", "-----BEGIN OPENSSH PRIVATE KEY-----"],
  ["a private key", "-----BEGIN PGP PRIVATE KEY BLOCK-----"],
] as const;

describe("a credential is found", () => {
  test.each(SECRETS)("%s: %s", (what, secret) => {
    const found = (where: string) => ({
      guard: "no-secrets",
      passed: false,
      message: `${where} looks like ${what}`,
    });
    expect(check(`First.\n\nUse ${secret} for it.\n`)).toEqual(found("line 3"));
    expect(check("", { title: secret })).toEqual(found("the title"));
    expect(check("", { body: ["draft", secret] })).toEqual(found("a tag"));
    expect(check("", { notes: [secret] })).toEqual(found("a tag"));
  });

  test.each(["\u200B", "\u2060", "\uFEFF", "\u00AD", "\u{E0041}", "\u0007"])(
    "also with a character in it that is drawn as nothing (%j)",
    (hidden) => {
      const key = `AKIA${upper(16)}`;
      expect(check(`${key.slice(0, 7)}${hidden}${key.slice(7)}`).message).toBe(
        "line 1 looks like an AWS access key id",
      );
    },
  );

  test("what was found is never said", () => {
    for (const [, secret] of SECRETS) expect(check(secret).message).not.toContain(secret.slice(-12));
  });
});

describe("ordinary text passes", () => {
  test.each([
    "sha256:fc5a08cf117754d0649d639d14541207970eaef12f0b97dd83e7a2c174846c47",
    "commit 8d483db1f5572e1c9a7b0f3d2c4e6a8b0d1f3e5c, and 550e8400-e29b-41d4-a716-446655440000",
    "run_0123456789abcdef0123-0123456789abcdef01234567-1 waits at hold_0123456789abcdef0123-1",
    "memo_0123456789abcdef0123456789abcd, ses_0123456789abcdef0123456789abcdef, key_abc, dec_0001",
    "The sk-learn-pipeline-for-text-classification and the task-runner-with-a-very-long-name.",
    "`npm_config_registry` and npm_lifecycle_event are set by npm; hf_transfer speeds up a download.",
    "AKIA and ASIA are the prefixes of access key ids; AIza of Google's, glpat- of GitLab's, sk_live_ of Stripe's.",
    "Set aws_secret_access_key = <your key>, or AWS_SECRET_ACCESS_KEY=$SECRET.",
    "git clone ssh://git@example.org/a.git, http://127.0.0.1:4747/api, http://[::1]:4747/a@b",
    "postgres://user:<password>@host/db, https://$USER:$PASSWORD@host, amqp://guest:***@mq, x://a:{{p}}@h",
    "Write to me@example.org: https://example.org/a:b@c and scheme://host:80/x.",
    "A JWT begins with eyJ, has two dots, as in eyJ….eyJ….sig; base64 of {} is e30=.",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "-----BEGIN PUBLIC KEY-----\n-----BEGIN CERTIFICATE-----",
  ])("%s", (text) => expect(check(text)).toMatchObject({ passed: true }));

  test("a hostile line of 350 KB is read in under a second", () => {
    const started = performance.now();
    for (const piece of ["eyJa-", "sk-a", "a", "://", "AKIA", "mk_", "secretaccesskey ", "x:"]) {
      check(piece.repeat(350_000 / piece.length));
    }
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
