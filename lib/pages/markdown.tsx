import type { Html } from "./shown.ts";

/** A text of somebody else as it would be read: nothing of it runs, loads or leads anywhere unseen. */
export const Rendered = ({ text }: { text: string }): Html => <div class="prose">{text}</div>;
