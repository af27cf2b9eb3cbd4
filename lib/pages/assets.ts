import { digestOf } from "../core/ids.ts";
import script from "./assets/steward.js" with { type: "text" };
import styles from "./assets/steward.css" with { type: "text" };

type Asset = { type: string; text: string; href: string };

const asset = (file: string, type: string, text: string): Asset => ({
  type: `${type}; charset=utf-8`,
  text,
  // With a digest of what is in it, so that a browser may keep it for good.
  href: `/steward/assets/${file}?v=${digestOf([text]).slice(0, 12)}`,
});

/** What pages load, by the names of the files. */
export const ASSETS: Readonly<Record<"steward.css" | "steward.js", Asset>> = {
  "steward.css": asset("steward.css", "text/css", styles),
  "steward.js": asset("steward.js", "text/javascript", script),
};
