import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { afterAll, expect, test, vi } from "vitest";
import { createApp, type MythosApp } from "../../../infra/aws/app.ts";
import { judge } from "../../../infra/aws/nag.ts";

const outdir = mkdtempSync(join(tmpdir(), "nag-"));
afterAll(() => rmSync(outdir, { recursive: true }));

/** Synthesises as `npm run synth` does, with no account, and says what the rules find. */
function findingsOf(
  context: Record<string, unknown>,
  change: (made: MythosApp) => void = () => {},
): string[] {
  const handlerCode = () => ({
    code: Code.fromInline("exports.handler = () => {}"),
    handler: "index.handler",
  });
  const made = createApp({ context, handlerCode, outdir: mkdtempSync(join(outdir, "out-")) });
  judge(made.app, made.application, made.settings);
  change(made);
  const said: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  try {
    made.app.synth();
    return [];
  } catch {
    return [...said.join("").matchAll(/AwsSolutions-[A-Z0-9]+/g)].map(([rule]) => rule).concat("refused");
  } finally {
    spy.mockRestore();
  }
}

test("a deployment as it comes has no finding that nobody answers for", { timeout: 120_000 }, () => {
  expect(findingsOf({})).toEqual([]);
});

test("nor has one with every flag", { timeout: 120_000 }, () => {
  const flags = { tracing: true, kms: true, alarmTopic: "arn:aws:sns:eu-central-1:123456789012:ops" };
  expect(findingsOf({ ...flags, bedrockModels: "anthropic.claude-*,amazon.nova-lite-v1:0" })).toEqual([]);
});

test("a queue without encryption in transit ends the synthesis", { timeout: 120_000 }, () => {
  const open = ({ application }: MythosApp) => void new Queue(application, "Open");
  expect(findingsOf({}, open)).toContain("refused");
});
