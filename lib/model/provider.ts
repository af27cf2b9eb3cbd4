import type { Price } from "./config.ts";
import type { LanguageModel } from "./language-model.ts";

/** One configured model behind a provider's protocol. */
export type Provider = {
  /** As config.json names it. */
  name: string;
  modelId: string;
  region: string | null;
  /** The variable of its key; null where none is sent, or where the account's own credentials sign. */
  key: { env: string; isSet: boolean } | null;
  window: number | null;
  price: Price | "free" | null;
  json: "native" | "tool" | "prompt";
  usage: "reported" | "estimated";
  /** Whether the last turn may forbid tools: where it may not, forbidding them would drop their answers. */
  mayForbidTools: boolean;
  model: LanguageModel;
};
