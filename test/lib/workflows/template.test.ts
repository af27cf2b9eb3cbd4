import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderInstructions, renderTemplate, type Scope } from "../../../lib/workflows/template.ts";

const scope: Scope = {
  payload: {
    topic: "Tea",
    tags: ["a", "b"],
    deep: { list: [{ name: "x" }] },
    none: null,
    zero: 0,
    no: false,
  },
  steps: {
    judge: { returns: "json", text: '{"label":"do"}', value: { label: "do", score: 0.5 } },
    draft: { returns: "text", text: "A draft." },
    unread: { returns: "json", text: '{"label":"read"}' },
  },
  run: { id: "run_1", isoWeek: "2026-W05" },
};

describe("renderTemplate", () => {
  it.each([
    ["{{payload.topic}}", "Tea"],
    ["{{ payload.topic }} and {{payload.deep.list[0].name}}", "Tea and x"],
    ["{{payload.tags}}", '["a","b"]'],
    ["{{payload.zero}} {{payload.no}}", "0 false"],
    ["[{{payload.none}}{{payload.missing}}{{payload.topic.length}}]", "[]"],
    ["triage/{{steps.judge.label}}", "triage/do"],
    ["{{steps.draft}}", "A draft."],
    ["{{steps.unread.label}}", "read"],
    ["[{{steps.draft.label}}{{steps.nobody}}]", "[]"],
    ["Digest {{run.isoWeek}}", "Digest 2026-W05"],
    ["{{env.SECRET}} stays as it is", "{{env.SECRET}} stays as it is"],
    ["{{payload.constructor}}{{payload.__proto__}}{{steps.toString}}{{run.constructor}}", ""],
  ])("%s", (template, text) => expect(renderTemplate(template, scope)).toBe(text));

  it("never reads what it filled in", () => {
    fc.assert(
      fc.property(fc.string(), (topic) => {
        const given = { ...scope, payload: { topic: `${topic}{{run.id}}$&` } };
        expect(renderTemplate("{{payload.topic}}", given)).toBe(`${topic}{{run.id}}$&`);
      }),
    );
  });
});

describe("renderInstructions", () => {
  it("points at a whole step and lists it once", () => {
    expect(
      renderInstructions("Check {{steps.draft}}, then {{steps.draft}} for {{payload.topic}}.", scope),
    ).toEqual({
      text: 'Check the output of step "draft" (below), then the output of step "draft" (below) for Tea.',
      usedSteps: ["draft"],
    });
  });

  it("puts a step's field into the text", () => {
    expect(renderInstructions("Label: {{steps.judge.label}}", scope)).toEqual({
      text: "Label: do",
      usedSteps: [],
    });
  });
});
