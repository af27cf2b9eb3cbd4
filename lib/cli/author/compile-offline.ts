import { sha256 } from "../../core/bytes.ts";
import { compileWorkflow, type Compiled } from "../../workflows/compile.ts";
import { hashManifest } from "../../workflows/manifest-hash.ts";
import type { Manifest } from "../../workflows/manifest.ts";
import { parseWorkflow, type Draft } from "../../workflows/parse.ts";
import type { WorkflowLookup } from "../../workflows/resolve.ts";

/**
 * Compiles a text without a library: every name it uses is taken to be known, and memos keep their titles without
 * ids. The hash is that of such a manifest, so it compares texts, not runs.
 */
export async function compileOffline(text: string, at: number): Promise<Compiled> {
  const { draft } = parseWorkflow(text);
  const source = { memoId: "", contentVersion: 0, contentHash: sha256(text), body: text, title: "" };
  const compiled = await compileWorkflow(source, everythingThatIsNamed(draft), at);
  if (!compiled.ok) return compiled;
  return { ...compiled, manifest: withoutIds(compiled.manifest) };
}

function everythingThatIsNamed({ steps, policy }: Draft): WorkflowLookup {
  const options = (steps?.steps ?? []).map((step) => step.options);
  const model = policy?.policy.model;
  return {
    memosByTitle: async (title) => [{ memoId: `title:${title}`, memoType: "note" }],
    memoById: async (memoId) => ({ memoId: `id:${memoId}`, title: memoId }),
    titles: async () => [],
    commandOwners: async () => [],
    destinations: policy ? [policy.policy.destination] : [],
    sources: options.flatMap(({ include = [] }) => include.map(({ text }) => /^[^:]*/.exec(text)?.[0] ?? "")),
    models: [
      ...(model ? [model] : []),
      ...options.flatMap((option) => (option.model ? [option.model.text] : [])),
    ],
    actions: options.flatMap(({ action }) => (action ? [action.text] : [])),
  };
}

function withoutIds({ manifestHash: _hash, ...manifest }: Manifest): Manifest {
  const { target } = manifest.policy;
  const bare: Omit<Manifest, "manifestHash"> = {
    ...manifest,
    load: manifest.load.map((load) =>
      load.class === "search" ? load : { ...load, memo: { ...load.memo, id: null } },
    ),
    policy: { ...manifest.policy, target: target.kind === "memo" ? { ...target, id: null } : target },
  };
  return { ...bare, manifestHash: hashManifest(bare) };
}
