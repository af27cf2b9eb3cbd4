import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../lib/client/client.ts";
import { asAgent, mythos } from "./cli-process.ts";
import { givenHost } from "./test-host.ts";

type Given = Awaited<ReturnType<typeof givenHost>>;
let given: Given;
let folder: string;
beforeAll(async () => {
  given = await givenHost();
  folder = mkdtempSync(join(tmpdir(), "hooks-"));
});
afterAll(async () => {
  await given.stop();
  rmSync(folder, { recursive: true });
});

const hook = (event: Record<string, unknown>, env: Record<string, string> = {}) =>
  mythos(["sessions", "hook"], {
    env: { ...asAgent(given.host), MYTHOS_DATA: folder, ...env },
    input: JSON.stringify({ session_id: "a1", cwd: "/home/ana/atlas", ...event }),
  });

/** What these tests look at of the answers. */
type Shown = {
  items: Shown[];
  sessionId: string;
  purpose: string;
  status: string;
  heartbeat: Record<string, unknown>;
};

const api = async (method: string, path: string, body?: unknown): Promise<Shown> => {
  const client = createClient({ url: given.host.url, key: given.host.keys.agentKey });
  const answer = await client.call<Shown>(method, path, body === undefined ? {} : { body });
  return answer.ok ? answer.value : (answer.problem as unknown as Shown);
};
const sessions = async () => (await api("GET", "/api/internal/sessions")).items;

describe("a coding agent's hook", () => {
  test("starts a session, tells each event to it, and ends it", async () => {
    const exportsFile = join(folder, "exports");
    expect(await hook({ hook_event_name: "SessionStart" }, { CLAUDE_ENV_FILE: exportsFile })).toMatchObject({
      code: 0,
      out: "",
    });
    const [{ sessionId, purpose }] = (await sessions()) as [Shown];
    expect(purpose).toContain("atlas");
    expect(readFileSync(exportsFile, "utf8")).toBe(`export MYTHOS_SESSION=${sessionId}\n`);
    await hook({ hook_event_name: "UserPromptSubmit", prompt: "tidy the notes" });
    await hook({
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "ls -l" },
      tool_response: "secret",
    });
    const busy = await api("GET", `/api/internal/sessions/${sessionId}`);
    expect(busy.heartbeat).toMatchObject({
      busy: true,
      turns: [{ role: "user", text: "tidy the notes" }],
      toolCalls: [{ tool: "Bash", command: "ls -l" }],
    });
    expect(JSON.stringify(busy)).not.toContain("secret");
    await hook({ hook_event_name: "Notification", notification_type: "permission_prompt" });
    expect((await api("GET", `/api/internal/sessions/${sessionId}`)).heartbeat).toMatchObject({
      busy: true,
      awaitingPermission: true,
    });
    await hook({ hook_event_name: "Stop", last_assistant_message: "Tidied." });
    expect((await api("GET", `/api/internal/sessions/${sessionId}`)).heartbeat).toMatchObject({
      busy: false,
      awaitingPermission: false,
      turnsCompleted: 1,
    });
    expect(await hook({ hook_event_name: "SessionEnd", reason: "exit" })).toMatchObject({ code: 0 });
    expect(await api("GET", `/api/internal/sessions/${sessionId}`)).toMatchObject({
      status: "ended",
      outcome: "the agent's session ended: exit",
    });
    expect(readdirSync(join(folder, "hooks"))).toEqual([]);
  });

  test("says that its session was ended, and starts another with the next event", async () => {
    await hook({ session_id: "b2", hook_event_name: "SessionStart" });
    const [{ sessionId }] = (await sessions()) as [Shown];
    await api("POST", `/api/internal/sessions/${sessionId}/end`, { outcome: "the work is merged" });
    const told = await hook({ session_id: "b2", hook_event_name: "UserPromptSubmit", prompt: "go on" });
    expect(JSON.parse(told.out)).toMatchObject({
      hookSpecificOutput: {
        hookEventName: "UserPromptSubmit",
        additionalContext: expect.stringContaining("the work is merged"),
      },
    });
    await hook({ session_id: "b2", hook_event_name: "UserPromptSubmit", prompt: "go on" });
    const [next] = (await sessions()) as [Shown];
    expect(next).toMatchObject({ status: "live" });
    expect(next.sessionId).not.toBe(sessionId);
  });

  test("never stops the agent: a host that is away and an event it does not know are no failure", async () => {
    const away = await hook(
      { session_id: "c3", hook_event_name: "Stop" },
      { MYTHOS_URL: "http://127.0.0.1:9" },
    );
    expect(away).toMatchObject({ code: 0, out: "", err: expect.stringContaining("not told") });
    expect(await hook({ session_id: "c3", hook_event_name: "TeammateIdle" })).toMatchObject({
      code: 0,
      out: "",
    });
  });

  test("says what is wrong when what it reads is no event, with the code that stops no agent", async () => {
    const env = { ...asAgent(given.host), MYTHOS_DATA: folder };
    const said = await mythos(["sessions", "hook"], { env, input: "no json" });
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining("standard input is no JSON") });
  });
});
