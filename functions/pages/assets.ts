import { AppError } from "../../lib/core/errors.ts";
import { ASSETS } from "../../lib/pages/assets.ts";
import type { PageContext } from "./page-request.ts";

/** A style sheet or a script. */
export function assetAnswer(c: PageContext): Response {
  const file = c.req.param("file") ?? "";
  if (!isAsset(file)) throw new AppError("not_found", `nothing is at ${c.req.path}`, { path: c.req.path });
  const kept = c.req.query("v") === undefined ? "no-cache" : "public, max-age=31536000, immutable";
  return c.body(ASSETS[file].text, 200, { "content-type": ASSETS[file].type, "cache-control": kept });
}

const isAsset = (file: string): file is keyof typeof ASSETS => Object.hasOwn(ASSETS, file);
