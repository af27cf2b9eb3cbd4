import { printable } from "../core/printable.ts";
import { truncate } from "../core/text.ts";
import { count, Said } from "./format.tsx";
import type { Hold, HoldModel } from "./hold.tsx";
import { Merge } from "./hold-merge.tsx";
import { Rendered } from "./markdown.tsx";
import { Loads } from "./run-loads.tsx";
import type { Html, Shown } from "./shown.ts";
import { TextDiff } from "./text-diff.tsx";

/** What one way of looking shows. */
export function HoldContent({ model, shown }: { model: HoldModel; shown: Shown }): Html {
  const { hold, view, before, now, earlier } = model;
  const { proposal, payload } = hold;
  if (view === "payload" || !proposal) {
    return view === "loaded" ? <Loaded model={model} /> : <Payload payload={payload} />;
  }
  if (view === "loaded") return <Loaded model={model} />;
  if (view === "raw") return <Raw hold={hold} part={Number(shown.query["part"] ?? 1)} text={proposal.text} />;
  if (view === "merge" && hold.conflict) return <Merge hold={hold} />;
  if (view === "diff") {
    return (
      <>
        <p class="quiet small">
          {before
            ? `What the draft changes of version ${before.contentVersion}${now ? ", which it was made on" : ", the memo as it is now"}.`
            : "A new memo: every line of it is new."}
        </p>
        <TextDiff before={before?.text ?? ""} after={proposal.text} />
        <Tags before={before?.tags ?? null} after={proposal.tags[proposal.zone]} />
      </>
    );
  }
  if (view === "since") {
    return now && before ? (
      <>
        <p class="quiet small">
          What was changed of the memo from version {before.contentVersion} to {now.contentVersion}, after the
          draft was made.
        </p>
        <TextDiff before={before.text} after={now.text} />
      </>
    ) : (
      <p>{before ? "The memo is as the draft found it, or gone." : "There is no memo yet."}</p>
    );
  }
  if (view === "revised") {
    return earlier === null ? (
      <p>There is no draft before this one.</p>
    ) : (
      <>
        <p class="quiet small">What has changed since the draft that was sent back.</p>
        <TextDiff before={earlier} after={proposal.text} />
      </>
    );
  }
  return (
    <>
      <Rendered text={proposal.text} />
      <Tags before={before?.tags ?? null} after={proposal.tags[proposal.zone]} />
    </>
  );
}

/** Tags as they would be: what comes and what goes is said. */
function Tags({ before, after }: { before: readonly string[] | null; after: readonly string[] }): Html {
  const gone = (before ?? []).filter((tag) => !after.includes(tag));
  if (gone.length === 0 && after.length === 0) return <></>;
  return (
    <p class="small">
      <span class="quiet">Tags </span>
      {after.map((tag) => (
        <>
          {before === null || before.includes(tag) ? (
            <code>
              <Said text={tag} />
            </code>
          ) : (
            <ins>
              <code>
                <Said text={tag} />
              </code>
            </ins>
          )}{" "}
        </>
      ))}
      {gone.map((tag) => (
        <>
          <del>
            <code>
              <Said text={tag} />
            </code>
          </del>{" "}
        </>
      ))}
    </p>
  );
}

const RAW_PART = 100_000;

/** Every character as it stands, in parts of a size that a browser likes. */
function Raw({ hold, text, part }: { hold: Hold; text: string; part: number }): Html {
  const parts = Math.max(1, Math.ceil(text.length / RAW_PART));
  const nth = Math.min(parts, Math.max(1, Number.isInteger(part) ? part : 1));
  const [start, end] = [cutAt(text, (nth - 1) * RAW_PART), cutAt(text, nth * RAW_PART)];
  const path = `/steward/holds/${hold.holdId}`;
  return (
    <>
      <p class="quiet small">
        {parts === 1
          ? `All ${count(text.length)} characters.`
          : `Characters ${count(start + 1)} to ${count(end)} of ${count(text.length)}, part ${nth} of ${parts}.`}{" "}
        The whole is in <a href={`${path}.json`}>the page's data</a>.
      </p>
      <pre class="raw" tabindex={0} dir="auto">
        <code>{printable(text.slice(start, end))}</code>
      </pre>
      {parts > 1 && (
        <nav class="pager" aria-label="Parts of the text">
          {nth > 1 && <a href={`${path}?view=raw&part=${nth - 1}`}>Part before</a>}
          {nth < parts && <a href={`${path}?view=raw&part=${nth + 1}`}>Next part</a>}
        </nav>
      )}
    </>
  );
}

/** A place between two characters, also where a character has two halves. */
const cutAt = (text: string, at: number): number => (at === 0 ? 0 : truncate(text, at).length);

function Payload({ payload }: { payload: Hold["payload"] }): Html {
  const fields = Object.entries(payload ?? {});
  if (fields.length === 0) return <p class="quiet">It was asked for without any input.</p>;
  return (
    <dl class="fields">
      {fields.map(([name, value]) => (
        <div>
          <dt>
            <code>{name}</code>
          </dt>
          <dd dir="auto">{shownValue(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

const PAYLOAD_SHOWN = 20_000;

function shownValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const rest = text.length - PAYLOAD_SHOWN;
  return printable(truncate(text, PAYLOAD_SHOWN)) + (rest > 0 ? ` … (${count(rest)} more characters)` : "");
}

const Loaded = ({ model: { loads } }: { model: HoldModel }): Html =>
  loads.length === 0 ? <p class="quiet">It read no memo and no source.</p> : <Loads loads={loads} />;
