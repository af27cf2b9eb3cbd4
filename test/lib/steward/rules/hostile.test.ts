import * as fc from "fast-check";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { describe, expect, test } from "vitest";
import { buildJudgedApplyQueue } from "../../../../lib/steward/rules/apply-queues.ts";
import { cappedHead, cappedTail, lastOf } from "../../../../lib/steward/rules/caps.ts";
import { composeEvidence, EVIDENCE_MAX } from "../../../../lib/steward/rules/evidence.ts";
import { parseJudgeVerdict } from "../../../../lib/steward/rules/judge-reply.ts";
import type { PlanEntry } from "../../../../lib/steward/rules/plan.ts";
import { buildReport } from "../../../../lib/steward/rules/report.ts";
import { resolveSettings } from "../../../../lib/steward/rules/settings.ts";
import { markdownPiece } from "../../../support/markdown-text.ts";

/** The same texts come again with `SEED=<n>`. */
const seed = Number(process.env.SEED ?? Math.floor(performance.timeOrigin + performance.now()) % 2 ** 31);
process.stdout.write(`hostile texts of the steward's rules: SEED=${seed}\n`);
const runs = { seed, numRuns: 500 };

/** Texts with everything in them that means something to somebody. */
const nasty = fc
  .array(
    fc.oneof(
      markdownPiece,
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("| a | b |", "\\|", "\u2028", "\u2029", "😀", "````", "<b>", "![x](y)", "| --- |"),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

const isWhole = (text: string, of: string): boolean => text.isWellFormed() || !of.isWellFormed();

describe("caps", () => {
  test("never split a character, and keep within their length", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 1, max: 60 }), (given, max) => {
        const text = given.toWellFormed();
        for (const capped of [cappedHead(text, max), cappedTail(text, max), lastOf(text, max)]) {
          expect(capped.length).toBeLessThanOrEqual(max);
          expect(isWhole(capped, text)).toBe(true);
        }
      }),
      runs,
    );
  });
});

describe("a judge's reply", () => {
  const valid = {
    sessionId: "ses_a",
    verdict: "done",
    confidence: 0.9,
    reason: "merged",
  };
  /** Replies that are nearly right: a member changed, something around them, a piece of another. */
  const nearly = fc
    .tuple(
      fc.record({
        sessionId: fc.oneof(fc.constant("ses_a"), fc.constantFrom("ses_b", "", 1, null)),
        verdict: fc.oneof(
          fc.constantFrom("done", "abandoned", "blocked", "active", "Done", "close"),
          fc.jsonValue(),
        ),
        confidence: fc.oneof(fc.double(), fc.constantFrom("1", null, true), fc.double({ min: 0, max: 1 })),
        reason: fc.oneof(nasty, fc.jsonValue()),
      }),
      fc.constantFrom("", " ", "```\n", "```json\n", "Sure: ", "{", "[", "\u0000"),
      fc.constantFrom("", "\n", "\n```", "```", " trailing", "}", "]"),
    )
    .map(([reply, before, after]) => before + JSON.stringify(reply) + after);

  /** The form, read once more and otherwise: one object about the session, with all that it needs. */
  const isStrict = (
    reply: unknown,
    parsed: { verdict: string; confidence: number; reason: string },
  ): boolean => {
    const bare = String(reply)
      .trim()
      .replace(/^```(?:json)?\s*\n/, "")
      .replace(/```$/, "");
    const object = JSON.parse(bare);
    return (
      object.sessionId === "ses_a" &&
      ["done", "abandoned", "blocked", "needs-input", "active"].includes(object.verdict) &&
      object.verdict === parsed.verdict &&
      object.confidence === parsed.confidence &&
      parsed.confidence >= 0 &&
      parsed.confidence <= 1 &&
      parsed.reason.trim() !== "" &&
      parsed.reason.length <= 300 &&
      !parsed.reason.includes("\n")
    );
  };

  test("is never thrown over, and is actionable only as one object about the session, with all it needs", () => {
    fc.assert(
      fc.property(fc.oneof(nasty, nearly, fc.json(), fc.anything()), (reply) => {
        const parsed = parseJudgeVerdict(reply, "ses_a");
        const inert = parsed.verdict === "active" && parsed.confidence === 0;
        expect("malformed" in parsed ? inert : isStrict(reply, parsed)).toBe(true);
      }),
      { ...runs, numRuns: 2000 },
    );
  });

  test("that is malformed leads to nothing, whatever else the row says", () => {
    fc.assert(
      fc.property(nasty, fc.constantFrom("done", "abandoned", "blocked"), (text, verdict) => {
        const parsed = parseJudgeVerdict(`${JSON.stringify(valid)} ${text}x`, "ses_a");
        const entry = { sessionId: "ses_a", origin: "cron:a" };
        const row = { entry, evidence: null, source: "judged", ...parsed, verdict, confidence: 1 };
        expect(buildJudgedApplyQueue([row], resolveSettings({ apply: true }))).toEqual([]);
      }),
      runs,
    );
  });
});

describe("what a judge is shown", () => {
  const told = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        "label",
        "turns",
        "outcome",
        "worktree",
        "lastTurnError",
        "toolStats",
        "lastToolCall",
        "origin",
      ),
      fc.string(),
    ),
    fc.oneof(
      fc.jsonValue({ maxDepth: 6 }),
      fc.integer({ min: 0, max: 20_000 }).map((length) => "😀\u0000".repeat(length)),
      fc.array(fc.record({ role: fc.constant("assistant"), text: nasty }), { maxLength: 200 }),
    ),
  );
  const entryOf = (tail: string): PlanEntry => ({
    sessionId: "ses_a",
    label: tail,
    idleMinutes: 90,
    class: "judge",
    reasons: [],
    signals: { lastAssistantTail: tail },
  });

  test("is never longer than the cap, is whole, and is about the session", () => {
    fc.assert(
      fc.property(told, nasty, (raw, tail) => {
        const evidence = composeEvidence(entryOf(tail.toWellFormed()), raw, new Map([["ses_a", raw]]));
        expect(JSON.stringify(evidence).length).toBeLessThanOrEqual(EVIDENCE_MAX);
        expect(evidence.sessionId).toBe("ses_a");
        expect(evidence.signals.lastAssistantTail?.isWellFormed() ?? true).toBe(true);
      }),
      runs,
    );
  });

  test("fits also where every fact is wide and deep", () => {
    const wide = (depth: number): unknown =>
      depth === 0
        ? "é".repeat(2000)
        : Object.fromEntries(Array.from({ length: 9 }, (_, at) => [at, wide(depth - 1)]));
    for (const depth of [0, 1, 2, 3]) {
      const facts = ["outcome", "worktree", "toolStats", "lastToolCall", "pullRequests", "lastTurnError"];
      const raw = Object.fromEntries(facts.map((fact) => [fact, wide(depth)]));
      const evidence = composeEvidence(entryOf("x".repeat(5000)), { ...raw, busy: true }, {});
      expect(JSON.stringify(evidence).length).toBeLessThanOrEqual(EVIDENCE_MAX);
      expect(evidence).toMatchObject({
        sessionId: "ses_a",
        busy: true,
        turns: [],
        signals: { parentEnded: false },
      });
    }
  });
});

test("a report has the rows and headings that it has, whatever is written in it", () => {
  const MARKUP = ["html", "image", "emphasis", "strong", "inlineCode", "delete"];
  /** Blocks, cells of each row, items of each list, and markup within the lines. */
  const formOf = (markdown: string) => {
    const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    const form: string[] = [];
    const visit = (node: { type: string; children?: readonly { type: string }[] }) => {
      const { type, children = [] } = node;
      if (["root", "tableRow", "list", "listItem"].includes(type)) {
        form.push(`${type}: ${children.map((child) => child.type).join(" ")}`);
      }
      if (MARKUP.includes(type)) form.push(type);
      for (const child of children) visit(child);
    };
    visit(tree);
    return form;
  };
  const runOf = (text: string) => {
    const entry = {
      sessionId: "ses_a",
      label: text,
      origin: text,
      idleMinutes: 90,
      reasons: [text],
      signals: {},
    };
    return {
      input: {},
      steps: {
        settings: resolveSettings({ userOrigins: [`a${text}`], jevModel: `a${text}` }),
        hostLoad: {
          loadPerCore: 9,
          topByMemory: [{ pid: 1, command: text, owner: { kind: "orphan" } }],
          warnings: [{ severity: "critical", message: text }],
        },
        candidatesPlus: { close: [{ ...entry, class: "close" }], stuck: [], judge: [], judgeOverflow: [] },
        finalVerdicts: [
          { entry, evidence: null, verdict: text || "done", confidence: 1, reason: text, source: "judged" },
        ],
        autoApply: { results: [{ status: "rejected", index: 0, item: { sessionId: "ses_a" }, error: text }] },
        proposals: {
          proposals: [{ sessionId: `a${text}`, kind: "interrupt", cause: "loop", reason: text }],
          observed: [],
        },
        relabelQueue: [{ sessionId: "ses_b", label: text, proposedVerdict: "unknown", code: text, prs: [1] }],
      },
    };
  };
  const plain = formOf(buildReport(runOf("plain")).report);
  fc.assert(
    fc.property(nasty, (text) => {
      expect(formOf(buildReport(runOf(text)).report)).toEqual(plain);
    }),
    { ...runs, numRuns: 150 },
  );
});
