import type { Registered } from "../core/registered.ts";
import { createNoteTools } from "./note-tools.ts";
import { TRANSFORMS } from "./transforms.ts";

/** What the review's steps call. */
export const createReviewRegistry = (deps: Parameters<typeof createNoteTools>[0]): Registered => ({
  tools: createNoteTools(deps),
  transforms: TRANSFORMS,
});
