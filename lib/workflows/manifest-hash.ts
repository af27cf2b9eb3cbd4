import { sha256, type Sha256 } from "../core/bytes.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import type { Manifest, Step } from "./manifest.ts";

/**
 * What a workflow does, as one hash. Left out is what may differ between two texts that do the same: the
 * version and the bytes it was compiled from, the time, the lines, and the sizes of other memos.
 */
export function hashManifest(manifest: Omit<Manifest, "manifestHash">): Sha256 {
  const {
    manifestHash: _,
    source: _source,
    estimates: _estimates,
    load,
    steps,
    ...rest
  } = {
    manifestHash: "",
    ...manifest,
  };
  return sha256(canonicalJson({ ...rest, load: load.map(withoutPlace), steps: steps.map(withoutPlaces) }));
}

const withoutPlaces = (step: Step) =>
  withoutPlace(step.kind === "map" ? { ...step, steps: step.steps.map(withoutPlace) } : step);

function withoutPlace<T extends { loc: unknown }>(part: T): Omit<T, "loc"> {
  const { loc: _, ...rest } = part;
  return rest;
}
