import { utf8Bytes } from "../core/bytes.ts";
import { AppError } from "../core/errors.ts";
import { inParallel } from "../core/in-parallel.ts";
import type { Requester } from "../core/principal.ts";
import type { SourceText } from "../core/source.ts";
import { MEMO_TEXT_MAX_BYTES } from "../memos/memo.ts";
import { estimateTokens } from "../model/model.ts";
import type { Manifest } from "../workflows/manifest.ts";
import { renderTemplate, type Scope } from "../workflows/template.ts";
import { sourcePart, sourcePrefix } from "./parts.ts";
import type { LoadRecord, Plan } from "./plan.ts";
import type { Run } from "./run.ts";
import type { RunnerDeps } from "./runner-deps.ts";
import type { RunStore } from "./store.ts";

/** The rows that included texts are pinned in; a preview keeps them in memory. */
export type PinnedRows = Pick<RunStore, "readPart" | "readParts" | "putPart">;

type Deps = Pick<RunnerDeps, "sources" | "clock"> & { runs: PinnedRows };

/** For whom it is included. */
export type IncludingRun = Pick<Run, "ownerUid" | "runId" | "epoch"> & {
  sessionId?: string | null;
  requestedBy?: Requester;
};

/** Sources read at a time; each waits for others. */
const PARALLEL = 4;

/**
 * Reads what context steps include and pins it: the texts stand in rows of the run before anything names them, so
 * a repeat, a resumed run and every later step see the same and nothing is read twice.
 * @throws {AppError} source_refused, source_unavailable
 */
export async function readIncludes(
  deps: Deps,
  run: IncludingRun,
  manifest: Pick<Manifest, "steps">,
  contextIds: ReadonlySet<string>,
  scope: Scope,
): Promise<LoadRecord[]> {
  const all = manifest.steps.flatMap((step) =>
    step.kind === "context" ? step.include.map((template) => ({ stepId: step.id, template })) : [],
  );
  // Numbered through the whole workflow, so that no two steps have the same row.
  const due = all
    .map((include, n) => ({ ...include, n, ref: renderTemplate(include.template, scope).trim() }))
    .filter(({ stepId }) => contextIds.has(stepId));
  const records = await inParallel(due, PARALLEL, async (include) => {
    const { part, texts } = await pin(deps, run, include);
    return recordsOf(include, part, texts);
  });
  return records.flat();
}

/** The texts of a row that `readIncludes` pinned. */
export async function readPinned(
  runs: Pick<RunStore, "readPart">,
  runId: string,
  part: string,
): Promise<SourceText[]> {
  const row = await runs.readPart(runId, part);
  if (!row) throw new AppError("internal", `${part} of run ${runId} is missing`, {});
  return JSON.parse(row.text) as SourceText[];
}

/**
 * The values of context steps: a step that includes data, which is JSON objects, has their members as its own, so
 * `steps.<id>.<member>` names one; of two members of one name the later Include's counts. A step that includes texts
 * alone has no value. Data is shown to the model like every other text, except to a step that runs for each element
 * of it: that one sees its element.
 */
export async function includedValues(
  runs: Pick<RunStore, "readPart">,
  runId: string,
  loads: readonly LoadRecord[],
): Promise<NonNullable<Plan["values"]>> {
  const values: NonNullable<Plan["values"]> = {};
  for (const { dataOf, part, nth = 0, ref } of loads) {
    if (dataOf === undefined || part === undefined) continue;
    const data: unknown = JSON.parse((await readPinned(runs, runId, part))[nth]?.text ?? "null");
    if (typeof data !== "object" || data === null || Array.isArray(data)) {
      throw new AppError("source_unavailable", `the data of ${ref} is no object`, { source: ref });
    }
    values[dataOf] = { ...values[dataOf], ...(data as Plan["payload"]) };
  }
  return values;
}

type Include = { stepId: string; n: number; ref: string };

async function pin(deps: Deps, run: IncludingRun, { n, ref }: Include) {
  const [left] = await deps.runs.readParts(run.runId, sourcePrefix(n));
  if (left) return { part: left.part, texts: JSON.parse(left.text) as SourceText[] };
  const colon = ref.indexOf(":");
  const scheme = ref.slice(0, Math.max(0, colon));
  const source = Object.hasOwn(deps.sources, scheme) ? deps.sources[scheme] : undefined;
  if (!source) {
    throw new AppError("source_unavailable", `no source is called "${scheme}:" here`, { source: ref });
  }
  const { ownerUid, runId, sessionId = null, requestedBy } = run;
  const at = deps.clock.now();
  const context = { ownerUid, runId, sessionId, at, ...(requestedBy && { requestedBy }) };
  const texts = await source.read(context, ref.slice(colon + 1).trim());
  const text = JSON.stringify(texts);
  if (utf8Bytes(text) > MEMO_TEXT_MAX_BYTES) {
    const message = `${ref} is more than ${MEMO_TEXT_MAX_BYTES} bytes`;
    throw new AppError("source_unavailable", message, { source: ref });
  }
  const { row } = await deps.runs.putPart(runId, { part: sourcePart(n, run.epoch), text, ref });
  return { part: row.part, texts: JSON.parse(row.text) as SourceText[] };
}

function recordsOf({ stepId, n, ref }: Include, part: string, texts: readonly SourceText[]): LoadRecord[] {
  const base = { id: `S${n + 1}`, class: "source" as const, at: null, ref };
  if (texts.length === 0) return [{ ...base, loaded: false, reason: "nothing was found" }];
  return texts.map(({ title, text, memoId, contentVersion, data }, nth) => ({
    ...base,
    loaded: true,
    reason: `included by step ${stepId}`,
    title,
    tokens: estimateTokens(text),
    part,
    nth,
    ...(memoId !== undefined && { memoId }),
    ...(contentVersion !== undefined && { contentVersion }),
    ...(data && { dataOf: stepId }),
  }));
}
