import { hasErrors, sortDiagnostics, type Diagnostic } from "./diagnostics.ts";
import { hashManifest } from "./manifest-hash.ts";
import { MANIFEST_VERSION, type Manifest } from "./manifest.ts";
import { parseWorkflow, type Draft } from "./parse.ts";
import { resolveWorkflow, type WorkflowLookup } from "./resolve.ts";
import { inputSchemaOf } from "./sections/inputs.ts";

/** Changes when the same text may compile to another manifest. */
export const COMPILER_VERSION = "0.1.0";

/** One version of a workflow memo. */
export type WorkflowSource = {
  memoId: string;
  contentVersion: number;
  contentHash: string;
  body: string;
  title: string;
};

export type Compiled =
  | { ok: true; manifest: Manifest; diagnostics: Diagnostic[] }
  | {
      ok: false;
      diagnostics: Diagnostic[];
      /** What could still be read, to name the workflow in lists. */
      command: string | null;
      status: Manifest["trigger"]["status"] | null;
    };

/** Compiles a workflow memo against a library; any error means that it does not run. Never throws by itself. */
export async function compileWorkflow(
  source: WorkflowSource,
  lookup: WorkflowLookup,
  at: number,
): Promise<Compiled> {
  const { draft, diagnostics: parsed } = parseWorkflow(source.body);
  const resolved = await resolveWorkflow(draft, lookup, source.memoId);
  // A name with a hidden character in it is not found; that it has one is said already.
  const hidden = parsed.filter(({ code }) => code === "MW013").map(({ range }) => range.start.offset);
  const found = resolved.diagnostics.filter(
    ({ range: { start, end } }) => !hidden.some((at) => start.offset <= at && at < end.offset),
  );
  const diagnostics = sortDiagnostics([...parsed, ...found]);
  const manifest = hasErrors(diagnostics)
    ? undefined
    : assemble(source, draft, resolved.guaranteedTokens, at);
  if (manifest) return { ok: true, manifest, diagnostics };
  const { trigger } = draft;
  return { ok: false, diagnostics, command: trigger?.command ?? null, status: trigger?.status ?? null };
}

function assemble(
  { memoId, contentVersion, contentHash, title }: WorkflowSource,
  { trigger, loads, steps, policy, title: heading }: Draft,
  guaranteedTokens: number | null,
  at: number,
): Manifest | undefined {
  if (!trigger?.command || !steps || !policy) return undefined;
  const { command, status, summary, invoke, inputs } = trigger;
  const { run } = policy.policy.budget;
  const manifest: Omit<Manifest, "manifestHash"> = {
    manifestVersion: MANIFEST_VERSION,
    compiler: COMPILER_VERSION,
    source: { memoId, contentVersion, contentHash, compiledAt: new Date(at).toISOString() },
    title: title || heading || command,
    trigger: { command, status, summary, invoke, inputs, inputSchema: inputSchemaOf(inputs) },
    load: loads.map(({ load }) => load),
    steps: steps.steps.map(({ step }) => step),
    policy: policy.policy,
    estimates: { guaranteedTokens, worstCaseTokens: run.tokens, worstCaseUsd: run.usd },
  };
  return { ...manifest, manifestHash: hashManifest(manifest) };
}
