import { nearest } from "../core/text.ts";
import {
  createReport,
  didYouMean,
  listed,
  sortDiagnostics,
  type Diagnostic,
  type Report,
} from "./diagnostics.ts";
import type { Token } from "./field.ts";
import type { Draft } from "./parse.ts";

/** What the compiler asks of the library and of the deployment it compiles for. */
export type WorkflowLookup = {
  /** The memos with this title: those with exactly it, else those that differ in case only. */
  memosByTitle(title: string): Promise<readonly { memoId: string; memoType: string }[]>;
  memoById(memoId: string): Promise<{ memoId: string; title: string } | undefined>;
  /** All titles, to say which one was meant. */
  titles(): Promise<readonly string[]>;
  /** The other workflows with this command. */
  commandOwners(command: string): Promise<readonly { memoId: string; title: string }[]>;
  destinations: readonly string[];
  sources: readonly string[];
  /** Model aliases and ids that can be called here. */
  models: readonly string[];
  actions: readonly string[];
  /** Registered tools that only read; when left out, any name passes that does not sound like writing. */
  readTools?: readonly string[];
  /** Models with a price; when left out, every model is taken to have one. */
  pricedModels?: readonly string[];
  /** How many tokens a memo is; needed for the size of the guaranteed load. */
  memoTokens?(memoId: string): Promise<number | undefined>;
  /** The context window of a model in tokens, by alias or id; undefined when nobody said. */
  windowTokens?(model: string): number | undefined;
};

export type Resolved = { diagnostics: Diagnostic[]; guaranteedTokens: number | null };

/** Looks up what a draft names, writes the ids into it and says what is not there. */
export async function resolveWorkflow(
  draft: Draft,
  lookup: WorkflowLookup,
  memoId: string,
): Promise<Resolved> {
  const report = createReport(draft.markdown);
  await resolveCommand(draft, lookup, memoId, report);
  await resolveMemos(draft, lookup, memoId, report);
  resolveSteps(draft, lookup, report);
  resolvePolicy(draft, lookup, report);
  checkAction(draft, lookup, report);
  const guaranteedTokens = await guaranteedSize(draft, lookup, report);
  return { diagnostics: sortDiagnostics(report.sorted()), guaranteedTokens };
}

async function resolveCommand({ trigger }: Draft, lookup: WorkflowLookup, memoId: string, report: Report) {
  if (!trigger?.command) return;
  const owners = await lookup.commandOwners(trigger.command);
  const other = owners.find((owner) => owner.memoId !== memoId);
  if (!other) return;
  report.error("MW117", trigger.commandSpan, `${trigger.command} is already used by [[${other.title}]]`, {
    hint: "Pick another command.",
  });
}

type Found = { id: string; memoType: string | null };

async function resolveMemos(draft: Draft, lookup: WorkflowLookup, memoId: string, report: Report) {
  for (const { load, ref, span } of draft.loads) {
    if (load.class === "search" || !ref) continue;
    const found = await findMemo(ref, lookup, report);
    if (!found) continue;
    load.memo.id = found.id;
    if (found.id === memoId)
      report.error("MW212", span, "This workflow loads itself", { hint: "Remove the line." });
  }
  const target = draft.policy?.policy.target;
  const at = draft.policy?.spans.target;
  if (target?.kind !== "memo" || !at) return;
  const found = await findMemo({ text: target.ref, start: at.start, end: at.end }, lookup, report);
  if (!found) return;
  target.id = found.id;
  if (found.id === memoId || found.memoType === "workflow") {
    report.error("MW418", at, `[[${target.ref}]] is a workflow; a run cannot change it`, {
      hint: "Name a note.",
    });
  }
}

/** Whether a text could be an id and not a title. */
const LOOKS_LIKE_ID = /^[A-Za-z]+[-_][A-Za-z0-9._-]+$/;

async function findMemo(
  ref: Pick<Token, "text" | "start" | "end">,
  lookup: WorkflowLookup,
  report: Report,
): Promise<Found | undefined> {
  if (LOOKS_LIKE_ID.test(ref.text)) {
    const byId = await lookup.memoById(ref.text);
    if (byId) return { id: byId.memoId, memoType: null };
  }
  const memos = await lookup.memosByTitle(ref.text);
  const [first, second] = memos;
  if (first && !second) return { id: first.memoId, memoType: first.memoType };
  if (first) {
    const ids = memos.map((memo) => `[[${memo.memoId}]]`).join(" or ");
    const count = memos.length === 2 ? "Two" : String(memos.length);
    report.error("MW211", ref, `${count} memos are titled "${ref.text}"`, { hint: `Use the id: ${ids}.` });
    return undefined;
  }
  const near = nearest(ref.text, await lookup.titles());
  report.error("MW210", ref, `No memo is titled "${ref.text}"`, {
    hint: near === undefined ? "Write the memo first, or remove the line." : `Did you mean [[${near}]]?`,
    fix: near && { title: `Change to [[${near}]]`, span: ref, text: `[[${near}]]` },
  });
  return undefined;
}

function resolveSteps({ steps }: Draft, lookup: WorkflowLookup, report: Report): void {
  const drafts = steps?.steps ?? [];
  // A source and the action that works on what it brings come together, with the part of the deployment that has
  // both: where the source is not here either, the action is not a second cause.
  let missing = drafts
    .map(({ options }) => options.action)
    .find((action) => action && !lookup.actions.includes(action.text));
  for (const { options } of drafts) {
    for (const token of options.include ?? []) {
      const source = /^[^:]*/.exec(token.text)?.[0] ?? "";
      if (token.text.includes(":") && lookup.sources.includes(source)) continue;
      report.error("MW315", token, `No source is called "${source}:"`, {
        hint: didYouMean(nearest(source, lookup.sources)) ?? listed("Sources here", lookup.sources),
        ...(missing && {
          related: { message: `No action is called "${missing.text}" either`, span: missing },
        }),
      });
      missing = undefined;
    }
    for (const tool of lookup.readTools ? (options.tools ?? []) : []) {
      if (lookup.readTools?.includes(tool.text)) continue;
      report.error("MW319", tool, `No read-only tool is called "${tool.text}"`, {
        hint: listed("Tools here", lookup.readTools ?? []),
      });
    }
    if (options.action && options.action === missing) {
      report.error("MW317", options.action, `No action is called "${options.action.text}"`, {
        hint: listed("Actions here", lookup.actions),
      });
    }
    if (options.model) checkModel(options.model, lookup, report);
  }
}

function resolvePolicy({ policy, steps }: Draft, lookup: WorkflowLookup, report: Report): void {
  if (!policy) return;
  const { spans } = policy;
  const { destination, model, budget } = policy.policy;
  if (spans.destination && !lookup.destinations.includes(destination)) {
    report.error("MW412", spans.destination, `Nothing here can write to \`${destination}\``, {
      hint: listed("Dispatchers here", lookup.destinations),
    });
  }
  if (spans.model) checkModel(spans.model, lookup, report);
  const { pricedModels } = lookup;
  if (!pricedModels || !spans.budget || (budget.run.usd === null && budget.day.usd === null)) return;
  const models = [
    model,
    ...(steps?.steps ?? []).flatMap(({ options }) => (options.model ? [options.model.text] : [])),
  ];
  const priceless = models.find((name) => !pricedModels.includes(name));
  if (priceless === undefined) return;
  report.error("MW416", spans.budget, `A dollar budget needs a price for "${priceless}"`, {
    hint: "Set a price in config.json or use tokens.",
  });
}

/** An action changes things when the output step is reached, and what waits for a person waits after it. */
function checkAction({ policy, steps }: Draft, lookup: WorkflowLookup, report: Report): void {
  const action = steps?.steps.map(({ options }) => options.action).find((each) => each !== undefined);
  // Of an action that is not here, and of an approval that cannot be read, that is said already.
  if (!action || !lookup.actions.includes(action.text) || !policy?.approvalIsRead) return;
  const { mode, unless } = policy.policy.approval;
  if (mode === "auto" && unless === null) return;
  const { approval } = policy.spans;
  report.error("MW421", approval ?? action, `"${action.text}" would act before anybody has approved`, {
    hint: "Write - **Approval** `auto`, without unless, or remove the Action.",
    ...(approval && { related: { message: "The action", span: action } }),
  });
}

/** A plain word is an alias and must be one; anything else is a provider's full id. */
const ALIAS = /^[a-z]+$/i;

function checkModel(
  word: { text: string; start: number; end: number },
  lookup: WorkflowLookup,
  report: Report,
) {
  if (lookup.models.includes(word.text) || !ALIAS.test(word.text)) return;
  report.error("MW419", word, `No model alias "${word.text}"`, {
    hint: listed(
      "Aliases here",
      lookup.models.filter((name) => ALIAS.test(name)),
    ),
  });
}

/** A guaranteed load above this leaves too little of the window for the work. */
const MAX_WINDOW_SHARE = 0.6;

/** Gates and the largest hook in tokens; null when the library does not say. */
async function guaranteedSize(draft: Draft, lookup: WorkflowLookup, report: Report): Promise<number | null> {
  if (!lookup.memoTokens) return null;
  let gates = 0;
  let largestHook = 0;
  let largest: { ref: string; tokens: number; draft: Draft["loads"][number] } | undefined;
  for (const loadDraft of draft.loads) {
    const { load } = loadDraft;
    if ((load.class !== "gate" && load.class !== "hook") || load.memo.id === null) continue;
    const tokens = (await lookup.memoTokens(load.memo.id)) ?? 0;
    if (load.class === "gate") gates += tokens;
    else largestHook = Math.max(largestHook, tokens);
    if (!largest || tokens > largest.tokens) largest = { ref: load.memo.ref, tokens, draft: loadDraft };
  }
  const total = gates + largestHook;
  const windowTokens = lookup.windowTokens?.(draft.policy?.policy.model ?? "default");
  if (largest && windowTokens && total > windowTokens * MAX_WINDOW_SHARE) {
    const share = Math.round((total / windowTokens) * 100);
    report.warn("MW213", largest.draft.span, `Guaranteed load is ${share} % of the model's window`, {
      hint: `Make [[${largest.ref}]] a trigger or a search.`,
    });
  }
  return total;
}
