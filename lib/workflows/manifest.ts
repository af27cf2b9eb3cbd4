import * as z from "zod";

/** How much of the manifest's form a reader must know; changes only when old readers would misread. */
export const MANIFEST_VERSION = 1;

const Place = z.strictObject({ line: z.int().min(1), column: z.int().min(1) });

const MemoRef = z.strictObject({
  /** What the author wrote between the brackets: a title or an id. */
  ref: z.string(),
  /** The memo it names; null until resolved. */
  id: z.string().nullable(),
});

export const Input = z.strictObject({
  name: z.string(),
  type: z.enum(["string", "number", "boolean", "url", "memo", "json"]),
  required: z.boolean(),
  description: z.string(),
  /** Present when the author gave one; filled in at enqueue where the caller left the field out. */
  default: z.json().optional(),
});
export type Input = z.infer<typeof Input>;

export const Invoke = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("queue") }),
  z.strictObject({ kind: z.literal("command") }),
  z.strictObject({
    kind: z.literal("schedule"),
    expression: z.string(),
    timeZone: z.string().nullable(),
    /** What a slot enqueues; an empty object when absent. */
    payload: z.record(z.string(), z.json()).exactOptional(),
    /** Shipped switched off: its row exists only once somebody has switched it on. */
    paused: z.literal(true).exactOptional(),
  }),
  z.strictObject({ kind: z.literal("memo"), tag: z.string() }),
]);
export type Invoke = z.infer<typeof Invoke>;

export const Condition = z.strictObject({
  path: z.string(),
  operator: z.enum(["is", "is not", "contains", "matches", "exists", "below", "above"]),
  /** The text to compare with; the pattern without slashes for `matches`; null for `exists`. */
  value: z.string().nullable(),
  flags: z.string().nullable(),
});
export type Condition = z.infer<typeof Condition>;

const loadBase = { id: z.string(), why: z.string().nullable(), loc: Place };
export const Load = z.discriminatedUnion("class", [
  z.strictObject({ ...loadBase, class: z.literal("gate"), guaranteed: z.literal(true), memo: MemoRef }),
  z.strictObject({
    ...loadBase,
    class: z.literal("hook"),
    guaranteed: z.literal(true),
    memo: MemoRef,
    at: z.string(),
  }),
  z.strictObject({
    ...loadBase,
    class: z.literal("trigger"),
    guaranteed: z.literal(false),
    memo: MemoRef,
    when: Condition,
  }),
  z.strictObject({
    ...loadBase,
    class: z.literal("search"),
    guaranteed: z.literal(false),
    query: z.string(),
    filter: z.string().nullable(),
    top: z.int().min(1),
    maxTokens: z.int().min(1).nullable(),
    /** The step at which it runs; null means the context step. */
    at: z.string().nullable(),
    atLeast: z.int().min(0),
  }),
]);
export type Load = z.infer<typeof Load>;

const stepBase = { id: z.string(), instructions: z.string(), refs: z.array(z.string()), loc: Place };

// The kinds below are those of a workflow file. An `input` may hold references, `$steps.id.path`, at any depth.
const ToolStep = z.strictObject({ ...stepBase, kind: z.literal("tool"), tool: z.string(), input: z.json() });
const TransformStep = z.strictObject({
  ...stepBase,
  kind: z.literal("transform"),
  transform: z.string(),
  input: z.json(),
});
/** Its prompt stands in `instructions`; the input is data. */
const AgentStep = z.strictObject({
  ...stepBase,
  kind: z.literal("agent"),
  input: z.json(),
  model: z.string().nullable(),
  maxOutputTokens: z.int().min(1).nullable(),
});
/** What a map does with each of its items. */
export const NestedStep = z.discriminatedUnion("kind", [ToolStep, TransformStep, AgentStep]);
export type NestedStep = z.infer<typeof NestedStep>;

export const Step = z.discriminatedUnion("kind", [
  z.strictObject({ ...stepBase, kind: z.literal("trigger") }),
  z.strictObject({ ...stepBase, kind: z.literal("context"), include: z.array(z.string()) }),
  z.strictObject({
    ...stepBase,
    kind: z.literal("process"),
    returns: z.enum(["text", "markdown", "json"]),
    schema: z.record(z.string(), z.json()).nullable(),
    model: z.string().nullable(),
    maxOutputTokens: z.int().min(1).nullable(),
    temperature: z.number().nullable(),
    tools: z.array(z.string()),
    maxTurns: z.int().min(1),
    uses: z.array(z.string()),
    forEach: z.strictObject({ path: z.string(), max: z.int(), parallel: z.int() }).nullable(),
  }),
  z.strictObject({
    ...stepBase,
    kind: z.literal("output"),
    title: z.string().nullable(),
    write: z.enum(["create", "replace", "append"]).nullable(),
    addTags: z.array(z.string()),
    action: z.string().nullable(),
    /** The process step whose output is written; the last one when null. */
    from: z.string().nullable(),
  }),
  ToolStep,
  TransformStep,
  AgentStep,
  z.strictObject({
    ...stepBase,
    kind: z.literal("map"),
    /** A reference to a list. */
    over: z.string(),
    parallelism: z.int().min(1).max(10),
    /** collect: an item that fails is an entry of the output; throw: it fails the step. */
    onError: z.enum(["throw", "collect"]),
    /** Done in order for each item, whose output is that of the last one. */
    steps: z.array(NestedStep).min(1),
  }),
]);
export type Step = z.infer<typeof Step>;
export type ProcessStep = Extract<Step, { kind: "process" }>;
export type OutputStep = Extract<Step, { kind: "output" }>;
export type MapStep = Extract<Step, { kind: "map" }>;
export type AgentStep = z.infer<typeof AgentStep>;
/** A step that a workflow file has and a workflow memo has not. */
export type FileStep = MapStep | NestedStep;

/** Whether a step is one of a workflow file's. */
export const isFileStep = (step: Step): step is FileStep =>
  step.kind === "tool" || step.kind === "transform" || step.kind === "agent" || step.kind === "map";

export const Target = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("new") }),
  z.strictObject({ kind: z.literal("payload"), path: z.string() }),
  z.strictObject({ kind: z.literal("memo"), ref: z.string(), id: z.string().nullable() }),
]);

const Amount = z.strictObject({ tokens: z.int().nullable(), usd: z.number().nullable() });

export const Policy = z.strictObject({
  approval: z.strictObject({ mode: z.enum(["hold", "auto"]), unless: Condition.nullable() }),
  destination: z.enum(["memo", "reply", "worktree"]),
  target: Target,
  tags: z.array(z.string()),
  visibility: z.enum(["unlisted", "private", "listed"]),
  model: z.string(),
  budget: z.strictObject({ run: Amount, day: Amount }),
  retries: z.int().min(0).max(5),
  timeoutMs: z.int(),
  concurrency: z.int().min(1).max(10),
  /** A template; null means the producer's key, else the hash of the payload. */
  dedupeKey: z.string().nullable(),
  hold: z.strictObject({ expiresMs: z.int(), then: z.literal("cancel") }),
  onChangesRequested: z.strictObject({ max: z.int().min(0).max(3) }),
  approveFrom: z.array(z.enum(["page", "slack"])),
  reviewers: z.array(z.string()),
  guards: z.array(z.strictObject({ name: z.string(), value: z.string().nullable() })),
  onFailure: z.enum(["stop", "notify"]),
});
export type Policy = z.infer<typeof Policy>;

/** What a workflow compiles to: pure data, pinned on the run for its whole life. */
export const Manifest = z.strictObject({
  manifestVersion: z.literal(MANIFEST_VERSION),
  compiler: z.string(),
  manifestHash: z.string(),
  source: z.strictObject({
    memoId: z.string(),
    contentVersion: z.int(),
    contentHash: z.string(),
    compiledAt: z.string(),
  }),
  title: z.string(),
  trigger: z.strictObject({
    command: z.string(),
    status: z.enum(["live", "paused", "draft", "staged"]),
    summary: z.string(),
    invoke: z.array(Invoke),
    inputs: z.array(Input),
    inputSchema: z.record(z.string(), z.json()),
  }),
  load: z.array(Load),
  steps: z.array(Step),
  policy: Policy,
  /** What a run of a workflow file answers, with references; the output of its last step when absent. */
  result: z.json().exactOptional(),
  estimates: z.strictObject({
    guaranteedTokens: z.int().nullable(),
    worstCaseTokens: z.int().nullable(),
    worstCaseUsd: z.number().nullable(),
  }),
});
export type Manifest = z.infer<typeof Manifest>;
