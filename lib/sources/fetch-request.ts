import { lookup } from "node:dns/promises";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { AppError } from "../core/errors.ts";
import type { AllowedPlace } from "./fetch-hosts.ts";
import { isLoopback, isPublicAddress } from "./public-address.ts";

/** Most bytes of a body. */
export const FETCH_MAX_BYTES = 1024 * 1024;

export type Address = { address: string; family: number };

/** Every address of a name. */
export type Resolve = (host: string) => Promise<Address[]>;

/** The machine's resolver. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true });

export type Fetched = { kind: "text"; url: URL; isHtml: boolean; text: string };
type Answer = Fetched | { kind: "redirect"; location: string };

/**
 * One request to a place that is allowed, at an address that was checked: the name is resolved once, here, and the
 * connection goes to what it said.
 * @throws {AppError} source_refused, source_unavailable
 */
export async function requestOnce(
  resolve: Resolve,
  place: AllowedPlace,
  source: string,
  signal: AbortSignal,
): Promise<Answer> {
  const addresses = await checkedAddresses(resolve, place, source, signal);
  const unavailable = (why: string, cause?: unknown) =>
    new AppError("source_unavailable", `${source}: ${why}`, { source }, { cause });
  let response: IncomingMessage;
  try {
    response = await send(place, addresses, signal);
  } catch (error) {
    throw unavailable("there was no answer", error);
  }
  try {
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      return { kind: "redirect", location: headers.location };
    }
    if (statusCode < 200 || statusCode > 299) throw unavailable(`the answer was ${statusCode}`);
    if ((headers["content-encoding"] ?? "identity") !== "identity") {
      throw unavailable(`the answer is packed as ${headers["content-encoding"]}`);
    }
    const type = (headers["content-type"] ?? "").toLowerCase();
    const mime = type.split(";")[0]?.trim() ?? "";
    if (!isText(mime)) throw unavailable(`${mime || "an unnamed type"} is no text`);
    const bytes = await readBody(response).catch((error: unknown) => {
      throw unavailable("the answer broke off", error);
    });
    if (!bytes) throw unavailable(`the answer is longer than ${FETCH_MAX_BYTES} bytes`);
    return { kind: "text", url: place.url, isHtml: /html/.test(mime), text: decoded(bytes, type) };
  } finally {
    response.destroy();
  }
}

/** All of a name's addresses, when every one may be reached: a name that points inside as well is a trap. */
async function checkedAddresses(
  resolve: Resolve,
  { url, host, listedWithPort }: AllowedPlace,
  source: string,
  signal: AbortSignal,
): Promise<Address[]> {
  let addresses: Address[];
  try {
    addresses = await orAborted(resolve(host), signal);
  } catch (error) {
    const message = `${source}: ${host} has no address`;
    throw new AppError("source_unavailable", message, { source }, { cause: error });
  }
  const refused = (why: string) => new AppError("source_refused", `${source}: ${why}`, { source });
  if (addresses.length === 0) throw refused(`${host} has no address`);
  if (!listedWithPort && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw refused(`${host} is no public address`);
  }
  if (url.protocol === "http:" && !addresses.every(({ address }) => isLoopback(address))) {
    throw refused("only https is read, except from this machine");
  }
  return addresses;
}

function send(
  place: AllowedPlace,
  addresses: readonly Address[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // The checked addresses in place of a second resolution, which could say something else.
  const pinned: LookupFunction = (_host, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
  const send = place.url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(place.url, {
      lookup: pinned,
      agent: false,
      signal,
      headers: {
        accept: "text/html, text/*;q=0.9, application/json;q=0.8",
        "accept-encoding": "identity",
        "user-agent": "mythos-loops",
      },
    });
    request.on("response", resolve);
    request.on("error", reject);
    request.end();
  });
}

/** The body; undefined when it is too long, which is known before all of it is here. */
async function readBody(response: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(response.headers["content-length"] ?? 0) > FETCH_MAX_BYTES) return undefined;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > FETCH_MAX_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const isText = (mime: string): boolean =>
  mime.startsWith("text/") || /^application\/(?:[\w.-]+\+)?(?:json|xml)$/.test(mime);

/** In the charset that the answer names; a name that nobody knows is read as UTF-8. */
function decoded(bytes: Buffer, type: string): string {
  const charset = /charset="?([\w.:-]+)/.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", onAbort));
}
