import type { QueryFault } from "../core/query-terms.ts";
import type { MemoEntry, MemoType } from "../memos/memo.ts";
import { Fresh, Pager, Said, Status, When } from "./format.tsx";
import { Tags } from "./memo-marks.tsx";
import type { Html, Shown } from "./shown.ts";
import { Tabs } from "./tabs.tsx";

export type MemosModel = {
  q: string;
  tags: readonly string[];
  memoType: MemoType | null;
  title: string | null;
  /** What is wrong with the question. */
  fault: Pick<QueryFault, "term" | "hint"> | null;
  items: readonly (MemoEntry & { score?: number; snippet?: string })[];
  nextCursor: string | null;
};

const TYPES = [
  ["all", "All"],
  ["note", "Notes"],
  ["workflow", "Workflows"],
] as const;

/** The library as a list, or what a search found in it. */
export function Memos(model: MemosModel, shown: Shown): Html {
  const { q, tags, memoType, title, fault, items, nextCursor } = model;
  return (
    <>
      <div class="head">
        <h1>Memos</h1>
        <Tabs
          label="Which memos"
          name="type"
          standard="all"
          shown={shown}
          on={memoType ?? "all"}
          of={TYPES}
        />
      </div>
      <Fresh of="memoId" at={shown.at} />
      <form method="get" action="/steward/memos" role="search" class="search">
        <label for="q" class="visually-hidden">
          Search the memos
        </label>
        <input
          id="q"
          type="search"
          aria-keyshortcuts="/"
          name="q"
          value={q}
          placeholder="roadmap tag:plan updated:7d"
          maxlength={1000}
          aria-describedby={fault ? "q-fault" : undefined}
          aria-invalid={fault ? "true" : undefined}
        />
        {memoType && <input type="hidden" name="type" value={memoType} />}
        {tags.length > 0 && <input type="hidden" name="tag" value={tags.join(",")} />}
        <button type="submit">Search</button>
      </form>
      {fault && (
        <p class="note bad" id="q-fault">
          “<Said text={fault.term} />” is not a term of a search. {fault.hint}
        </p>
      )}
      <Asked q={q} tags={tags} title={title} />
      {items.length > 0 ? (
        <ul class="cards">
          {items.map((memo) => (
            <Row memo={memo} shown={shown} />
          ))}
        </ul>
      ) : (
        !fault && <Nothing isFiltered={q !== "" || tags.length > 0 || title !== null || memoType !== null} />
      )}
      <Pager here={shown.here} nextCursor={nextCursor} />
    </>
  );
}

const Asked = ({ q, tags, title }: Pick<MemosModel, "q" | "tags" | "title">): Html =>
  q === "" && tags.length === 0 && title === null ? (
    <></>
  ) : (
    <p class="quiet">
      {title !== null && (
        <>
          Memos named “<Said text={title} />
          ”.{" "}
        </>
      )}
      {tags.length > 0 && (
        <>
          Memos tagged <Tags tags={tags} />{" "}
        </>
      )}
      <a href="/steward/memos">Show all memos</a>
    </p>
  );

const Row = ({ memo, shown }: { memo: MemosModel["items"][number]; shown: Shown }): Html => (
  <li class="card memo" data-id={memo.memoId}>
    <div class="what">
      <a href={`/steward/memos/${memo.memoId}`}>
        <Said text={memo.title} />
      </a>
      {memo.snippet && (
        <p class="snippet">
          <Said text={memo.snippet} />
        </p>
      )}
      {(memo.memoType === "workflow" || memo.tags.length > 0) && (
        <p class="marks">
          {memo.memoType === "workflow" && <Status of="workflow" />}
          <Tags tags={memo.tags} />
        </p>
      )}
    </div>
    <dl class="facts">
      <div>
        <dt>Changed</dt>
        <dd>
          <When at={memo.updatedAt} now={shown.at} />
        </dd>
      </div>
      <div>
        <dt>Version</dt>
        <dd>{memo.contentVersion}</dd>
      </div>
      <div>
        <dt>Seen by</dt>
        <dd>{memo.visibility}</dd>
      </div>
    </dl>
  </li>
);

const Nothing = ({ isFiltered }: { isFiltered: boolean }): Html => (
  <div class="empty">
    <p class="lead">{isFiltered ? "No memo is like that." : "The library is empty."}</p>
    <p>
      {isFiltered
        ? "A search takes words, tag:x, -tag:x and updated:7d."
        : "Drafts that are approved become memos; a folder of Markdown files comes in by the command line."}
    </p>
    {!isFiltered && (
      <pre>
        <code>npx mythos memos import notes/</code>
      </pre>
    )}
  </div>
);
