import {
  clientOf,
  eventually,
  heldDraft,
  runThatIs,
  type Client,
  type Enqueued,
  type Page,
} from "../e2e/client.ts";
import { demoLibrary, importFiles } from "../e2e/library.ts";
import type { givenPages } from "./browser.ts";
import { openToday, passOver } from "./fleet.ts";

/** What pages of one thing are about. */
export type Ids = {
  hold: string;
  run: string;
  session: string;
  workflow: string;
  memo: string;
  report: string;
};

/**
 * Every kind of page, by what it shows: a path, and whether it is of one thing. A new page is one line here, and is
 * then looked at by everything that is true of every page.
 */
export const PAGE_KINDS: Record<string, (ids: Ids) => string> = {
  holds: () => "/steward/holds",
  "holds snoozed": () => "/steward/holds?state=snoozed",
  hold: ({ hold }) => `/steward/holds/${hold}`,
  "hold raw": ({ hold }) => `/steward/holds/${hold}?view=raw`,
  "hold payload": ({ hold }) => `/steward/holds/${hold}?view=payload`,
  "hold loaded": ({ hold }) => `/steward/holds/${hold}?view=loaded`,
  "hold edit": ({ hold }) => `/steward/holds/${hold}?view=edit`,
  runs: () => "/steward/runs",
  run: ({ run }) => `/steward/runs/${run}`,
  queue: () => "/steward/queue",
  sessions: () => "/steward/sessions",
  session: ({ session }) => `/steward/sessions/${session}`,
  workflows: () => "/steward/workflows",
  workflow: ({ workflow }) => `/steward/workflows/${workflow}`,
  "workflow by command": () => "/steward/workflows/draft-memo",
  "workflow broken": () => "/steward/workflows/broken",
  "workflow dry run": ({ workflow }) =>
    `/steward/workflows/${workflow}?payload=%7B%22topic%22%3A%22What+is+a+lane%3F%22%7D`,
  "workflow dry run refused": ({ workflow }) => `/steward/workflows/${workflow}?payload=nope`,
  memos: () => "/steward/memos",
  "memos found": () => "/steward/memos?q=doorbell",
  "memos asked wrongly": () => "/steward/memos?q=status%3Aopen",
  memo: ({ memo }) => `/steward/memos/${memo}`,
  "memo raw": ({ memo }) => `/steward/memos/${memo}?as=raw`,
  "memo compared": ({ memo }) => `/steward/memos/${memo}?from=1&to=2`,
  version: ({ memo }) => `/steward/memos/${memo}/versions/1`,
  "workflow of the project": () => "/steward/workflows/session-steward",
  "session reports": () => "/steward/session-reports",
  "session report": ({ report }) => `/steward/session-reports/${report}`,
  passes: () => "/steward/passes",
  cost: () => "/steward/cost",
  notices: () => "/steward/notices",
  audit: () => "/steward/audit",
  "sign in": () => "/steward/sign-in",
  error: () => "/steward/memos/memo_00000000000000000000000000000000",
};

/** The answer's status, where it is not 200. */
export const STATUS: Record<string, number> = { error: 404 };

const BODY = `# قائمة 🚀

| Name | Count |
|---|--:|
| apples | 12 |

- [x] done
- [ ] open

See [[Roadmap]], [a site](https://example.com/a) and ![a cat](https://example.com/cat.png).

\`\`\`js
const long = "${"on and ".repeat(40)}";
\`\`\`
`;

const BROKEN = `# Broken

## Trigger
- **Command** \`/broken\`
- **Statsu** \`live\`

## Steps
1. **trigger** \`brief\` Take it.

## Policy
- **Aproval** \`hold\`
`;

/** A library with one of everything that a page is about. */
export async function givenOneOfEach({
  host,
}: Pick<Awaited<ReturnType<typeof givenPages>>, "host">): Promise<Ids> {
  const steward = clientOf(host, host.keys.stewardKey);
  await importFiles(steward, [...demoLibrary(), { path: "workflows/broken.md", text: BROKEN }]);
  const { sessionId } = await clientOf(host, host.keys.agentKey).post<{ sessionId: string }>(
    "/api/internal/sessions",
    { name: "every-page", purpose: "One of each" },
  );
  const agent = clientOf(host, host.keys.agentKey, sessionId);
  const { hold, runId } = await heldDraft(agent, "What is a lane, and why are drafts held? 🧭 مرحبا");
  const memo = await memoOfTwoVersions(steward);
  const broken = await agent.post<Enqueued>("/api/workflows/draft-memo/items", {
    payload: { topic: "Again and again" },
  });
  await runThatIs(agent, broken.runId, "suspended");
  const { workflowId } = await steward.get<{ workflowId: string }>("/api/workflows/draft-memo");
  await eventually(async () => {
    const { items } = await steward.get<Page<unknown>>("/api/holds");
    if (items.length < 2) throw new Error("the inbox lags");
  });
  await openToday(agent, steward);
  const report = await passOver({ host });
  return { hold: hold.holdId, run: runId, session: sessionId, workflow: workflowId, memo, report };
}

async function memoOfTwoVersions(steward: Client): Promise<string> {
  const given = {
    title: "قائمة المهام 🚀 with a title that is long enough to need a second line",
    tags: ["plan", "خطة"],
  };
  const { memoId } = await steward.post<{ memoId: string }>("/api/memos", {
    ...given,
    body: BODY,
    notes: "Beside it.",
  });
  const changed = await steward.ask(
    "PUT",
    `/api/memos/${memoId}`,
    { body: BODY.replace("12", "13") },
    { "if-match": '"1"' },
  );
  if (changed.status !== 200) throw new Error(changed.text);
  return memoId;
}
