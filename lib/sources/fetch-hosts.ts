import { isIPv6 } from "node:net";
import { AppError } from "../core/errors.ts";

/** An address that may be tried: its host and port, and whether exactly these were listed. */
export type AllowedPlace = {
  url: URL;
  /** As a resolver takes it: no brackets. */
  host: string;
  /** The list names host and port: its owner means this very place, also when it is a private one. */
  listedWithPort: boolean;
};

/**
 * Whether an address may be read: https on a listed host at its usual port, or a place that is listed with its
 * port. What the name resolves to is checked after this.
 * @throws {AppError} source_refused
 */
export function allowedPlace(address: string, hosts: readonly string[], source: string): AllowedPlace {
  const refused = (why: string) => new AppError("source_refused", `${source}: ${why}`, { source });
  if (!URL.canParse(address)) throw refused("this is no address");
  const url = new URL(address);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw refused(`${url.protocol} is not read`);
  if (url.username !== "" || url.password !== "") throw refused("an address must not carry a user name");
  const isUsualPort = url.port === "";
  const port = isUsualPort ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const listed = hosts.map((host) => host.trim().toLowerCase());
  const listedWithPort = listed.includes(`${url.hostname}:${port}`);
  const isListed = listedWithPort || (isUsualPort && listed.includes(url.hostname));
  if (!isListed) throw refused(`${url.hostname}${isUsualPort ? "" : `:${port}`} is not under fetch.hosts`);
  if (url.protocol === "http:" && !listedWithPort) throw refused("only https is read");
  const bare = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { url, host: isIPv6(bare) ? bare : url.hostname, listedWithPort };
}
