import type { Element, ElementContent } from "hast";
import { printableInLine } from "../core/printable.ts";
import { truncate } from "../core/text.ts";

/** Addresses are printed up to here. */
const SHOWN = 200;

const SAFE = new Set(["http:", "https:", "mailto:"]);

const el = (
  tagName: string,
  properties: Element["properties"],
  children: readonly ElementContent[],
): Element => ({ type: "element", tagName, properties, children: [...children] });
const text = (value: string): ElementContent => ({ type: "text", value });
const written = (address: string): ElementContent =>
  el("code", { className: ["address"] }, [text(printableInLine(truncate(address, SHOWN)))]);

/** A link as it may be followed: it says where it leads; one that leads nowhere safe is its text and its address. */
export function linkOf(address: string, children: readonly ElementContent[]): ElementContent[] {
  const target = URL.parse(address);
  const says = isEmpty(children) ? [written(address)] : [...children];
  if (!target || !SAFE.has(target.protocol))
    return isEmpty(children) ? says : [...says, text(" "), written(address)];
  return [leading(target.href, says), text(" "), hostOf(target)];
}

/** An image as what it is called and a link to where it lies; inside a link it is its name alone. */
export function imageOf(address: string, alt: string, { inLink }: { inLink: boolean }): ElementContent[] {
  const name = text(`Image: ${printableInLine(alt.trim() === "" ? "not described" : alt)}`);
  const target = URL.parse(address);
  if (inLink) return [el("span", { className: ["image"] }, [name])];
  if (!target || !/^https?:$/.test(target.protocol))
    return [el("span", { className: ["image"] }, [name]), text(" "), written(address)];
  return [leading(target.href, [name], "image"), text(" "), hostOf(target)];
}

/** The memo that double brackets name. */
export const memoLink = (ref: string, says: string, href: string): Element =>
  el("a", { href, className: ["memo"], title: ref === says ? null : printableInLine(ref) }, [
    text(printableInLine(says)),
  ]);

const leading = (href: string, children: readonly ElementContent[], name?: string): Element =>
  el(
    "a",
    { href, rel: ["noreferrer", "noopener", "nofollow"], ...(name && { className: [name] }) },
    children,
  );

/** Where it leads, in the letters that the network uses. */
const hostOf = ({ protocol, host }: URL): ElementContent =>
  el("span", { className: ["host"] }, [text(protocol === "mailto:" ? "(mail)" : `(${host})`)]);

/** Whether there is nothing in a link that could be seen or clicked. */
const isEmpty = (nodes: readonly ElementContent[]): boolean =>
  nodes.every((node) => {
    if (node.type === "text") return node.value.trim() === "";
    return node.type === "element" && node.tagName !== "img" ? isEmpty(node.children) : false;
  });
