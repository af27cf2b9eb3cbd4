import { AppError } from "../core/errors.ts";
import { SECOND_MS } from "../core/duration.ts";
import type { Source } from "../core/source.ts";
import type { Ticker } from "../core/clock.ts";
import { foldWhitespace, truncate } from "../core/text.ts";
import { allowedPlace } from "./fetch-hosts.ts";
import { requestOnce, type Fetched, type Resolve } from "./fetch-request.ts";
import { htmlText } from "./html-text.ts";

const MAX_REDIRECTS = 3;
/** Resolving, redirects and the body together. */
const FETCH_TIMEOUT_MS = 10 * SECOND_MS;
const TITLE_MAX_LENGTH = 200;

/**
 * `fetch:https://…`: the text of one page. Only listed hosts, only public addresses, only text, within bounds of
 * size and time; each redirect is checked as the first address is.
 */
export function createFetchSource(deps: {
  /** Asked at each read, so that a config that cannot be read fails the run that needs it. */
  hosts: () => readonly string[];
  resolve: Resolve;
  ticker: Ticker;
  timeoutMs?: number;
}): Source {
  const timeoutMs = deps.timeoutMs ?? FETCH_TIMEOUT_MS;

  async function follow(address: string, source: string, signal: AbortSignal): Promise<Fetched> {
    let next = address;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const place = allowedPlace(next, deps.hosts(), source);
      const answer = await requestOnce(deps.resolve, place, source, signal);
      if (answer.kind === "text") return answer;
      next = URL.canParse(answer.location, place.url.href) ? new URL(answer.location, place.url).href : "";
    }
    const message = `${source} redirects more than ${MAX_REDIRECTS} times`;
    throw new AppError("source_unavailable", message, { source });
  }

  return {
    scheme: "fetch",
    async read(_context, argument) {
      const source = `fetch:${truncate(argument, TITLE_MAX_LENGTH)}`;
      const abort = new AbortController();
      const stop = deps.ticker(timeoutMs, () => abort.abort());
      try {
        const { url, isHtml, text } = await follow(argument, source, abort.signal);
        const page = isHtml ? htmlText(text) : { title: "", text };
        const title = foldWhitespace(page.title) || `${url.host}${url.pathname}`;
        return [{ title: truncate(title, TITLE_MAX_LENGTH), text: page.text }];
      } catch (error) {
        if (!abort.signal.aborted) throw error;
        const message = `${source} did not answer within ${timeoutMs} ms`;
        throw new AppError("source_unavailable", message, { source }, { cause: error });
      } finally {
        stop();
      }
    },
  };
}
