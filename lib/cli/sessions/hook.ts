import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import type { MailboxMessage } from "../../client/held-session.ts";
import { segment } from "../../client/client.ts";
import { createSessionReport, type ReportWindow } from "../../client/session-report.ts";
import { digestOf } from "../../core/ids.ts";
import type { CommandLine } from "../command-line.ts";
import { dataFolderOf, readText } from "../connection.ts";
import { EXIT, Failure } from "../failure.ts";
import { HookEvent, reportEvent } from "./hook-event.ts";

const ROUTE = "/api/internal/sessions";

/** What is kept between two hooks of one agent, which are two processes. */
type Kept = { sessionId: string; window: ReportWindow; received: string[] };

/** Events whose hook may hand words to the agent. */
const LISTENING = new Set(["SessionStart", "UserPromptSubmit", "PostToolUse"]);

/**
 * One event of a coding agent's command line, read from standard input and told to the session that stands for the
 * agent here; the first event starts one. Messages of the mailbox are printed as the hook's answer. An agent is
 * never stopped by it: a host that is away is a line on standard error.
 */
export async function tellHook(cli: CommandLine): Promise<void> {
  const event = eventOf(await readAll(process.stdin));
  const path = join(dataFolderOf(cli.env), "hooks", `${digestOf([event.session_id])}.json`);
  try {
    await tell(cli, event, path);
  } catch (error) {
    cli.terminal.say(`mythos: not told: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function tell(cli: CommandLine, event: HookEvent, path: string): Promise<void> {
  const api = cli.api("agent");
  const known = read(path);
  if (event.hook_event_name === "SessionEnd") {
    if (!known) return;
    const body = { outcome: `the agent's session ended: ${event.reason ?? "no reason given"}` };
    await api.post(`${ROUTE}/${segment(known.sessionId)}/end`, { body });
    return rmSync(path, { force: true });
  }
  const kept = known ?? (await start(cli, event));
  const report = createSessionReport(kept.window);
  for (const messageId of kept.received) report.received(messageId);
  reportEvent(report, event, cli.clock.now());
  const body = report.body(cli.clock.now());
  const heartbeat = `${ROUTE}/${segment(kept.sessionId)}/heartbeat`;
  const answer = await api.ask<{ mailbox: MailboxMessage[] }>("POST", heartbeat, { body });
  // Ended by somebody else: the agent is told, and its next event starts a session of its own.
  if (!answer.ok && answer.problem.code.startsWith("session_")) {
    rmSync(path, { force: true });
    return say(cli, event, [answer.problem.detail]);
  }
  if (!answer.ok) {
    keep(path, { ...kept, window: report.window });
    return cli.terminal.say(`mythos: not told: ${answer.problem.detail}`);
  }
  const messages = LISTENING.has(event.hook_event_name) ? answer.value.mailbox : [];
  say(cli, event, messages.map(textOf));
  keep(path, { ...kept, window: report.window, received: messages.map(({ messageId }) => messageId) });
}

/** Misuse is the failure 1 here: to a hook's caller 2 means that the agent has to stop. */
function eventOf(text: string): HookEvent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const hint = "This is a hook: the agent's command line calls it with an event.";
    throw new Failure(EXIT.failed, "standard input is no JSON", hint);
  }
  const read = HookEvent.safeParse(value);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  const place = first?.path.join(".") || "form";
  throw new Failure(EXIT.failed, `the event's ${place} cannot be read: ${first?.message ?? ""}`);
}

async function start(cli: CommandLine, event: HookEvent): Promise<Kept> {
  const folder = basename(event.cwd ?? "") || "a folder";
  const body = {
    name: "coding agent",
    purpose: `A coding agent at work in ${folder}`,
    origin: "coding-agent",
  };
  const { sessionId } = await cli.api("agent").post<{ sessionId: string }>(ROUTE, { body });
  // What the agent runs in its shell then carries the session's header.
  if (cli.env.agentEnvFile) appendFileSync(cli.env.agentEnvFile, `export MYTHOS_SESSION=${sessionId}\n`);
  return { sessionId, window: { turns: [], toolCalls: [], turnsCompleted: 0 }, received: [] };
}

function read(path: string): Kept | undefined {
  const text = readText(path);
  return text === undefined ? undefined : (JSON.parse(text) as Kept);
}

function keep(path: string, kept: Kept): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Two hooks of one agent may run at once: the later one's file stands, whole.
  const next = `${path}.${process.pid}`;
  writeFileSync(next, JSON.stringify(kept), { mode: 0o600 });
  renameSync(next, path);
}

const textOf = ({ kind, text }: MailboxMessage): string => `${kind.replace("_", " ")}: ${text}`;

function say(
  cli: CommandLine,
  { hook_event_name: hookEventName }: HookEvent,
  words: readonly string[],
): void {
  if (words.length === 0) return;
  const additionalContext = `Messages for this session from its steward:\n${words.map((word) => `- ${word}`).join("\n")}`;
  cli.terminal.out(JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } }));
}
