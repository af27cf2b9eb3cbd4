import { sha256 } from "../core/bytes.ts";
import { canonicalJson } from "../core/canonical-json.ts";
import { modelConfigOf, priceOf, type Config, type Price } from "./config.ts";

/** What a model's name stands for when its calls are paid for. */
export type Pricing = {
  /** The provider's id, of which there are as many as the configuration has. */
  model: string;
  /** Null when nobody said. */
  price: Price | "free" | null;
};

/** What the calls of a model cost, by an alias or a full id. */
export function pricingOf(config: Pick<Config, "models" | "prices">, name: string): Pricing {
  const model = modelConfigOf(config, name);
  if (!model) return { model: name, price: null };
  return { model: model.provider === "offline" ? "offline" : model.model, price: priceOf(config, model) };
}

/** Which price a cost was computed with; it is never computed again. */
export type PriceStamp = { asOf: string; hash: string };

/** The stamp of a price; undefined where nothing was multiplied. */
export function stampOf(price: Pricing["price"]): PriceStamp | undefined {
  if (price === null || price === "free") return undefined;
  return { asOf: price.asOf, hash: sha256(canonicalJson(price)).slice(0, 23) };
}
