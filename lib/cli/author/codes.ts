import type { CodeEntry } from "./code-entry.ts";
import { LOAD_CODES } from "./codes-load.ts";
import { OUTLINE_CODES } from "./codes-outline.ts";
import { POLICY_CODES } from "./codes-policy.ts";
import { STEPS_CODES } from "./codes-steps.ts";

/** Every code of the compiler with an example that gets it and one that does not, in the order of the codes. */
export const CODES: readonly CodeEntry[] = [...OUTLINE_CODES, ...LOAD_CODES, ...STEPS_CODES, ...POLICY_CODES];
