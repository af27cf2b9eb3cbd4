import * as z from "zod";
import type { SessionReport } from "../../client/session-report.ts";

/**
 * What a coding agent's command line gives its hooks on standard input, as far as it is read here. The names are
 * Claude Code's (https://code.claude.com/docs/en/hooks), which others have taken over.
 */
export const HookEvent = z.object({
  /** The agent's own id of its session, not ours. */
  session_id: z.string().min(1),
  hook_event_name: z.string(),
  cwd: z.string().optional(),
  prompt: z.string().optional(),
  tool_name: z.string().optional(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  notification_type: z.string().optional(),
  last_assistant_message: z.string().optional(),
  error: z.string().optional(),
  reason: z.string().optional(),
});
export type HookEvent = z.infer<typeof HookEvent>;

/** Members of a tool's input that say in a few words what it was asked for. */
const TELLING = ["command", "file_path", "path", "pattern", "url", "query", "description"] as const;

/** The agent waits for nobody. */
const NOBODY = { awaitingInput: false, awaitingPermission: false } as const;

/** Takes one event into the report. Events that say nothing of the session's state change nothing. */
export function reportEvent(report: SessionReport, event: HookEvent, at: number): void {
  switch (event.hook_event_name) {
    case "SessionStart":
      return report.set({ busy: false, ...NOBODY });
    case "UserPromptSubmit":
      report.turn({ role: "user", text: event.prompt ?? "", at });
      return report.set({ busy: true, ...NOBODY });
    case "PreToolUse":
    case "PreCompact":
      return report.set({ busy: true, ...NOBODY });
    case "PostToolUse":
    case "PostToolUseFailure": {
      const isError = event.hook_event_name === "PostToolUseFailure";
      report.toolCall({
        tool: event.tool_name ?? "unknown",
        ...commandOf(event),
        at,
        ...(isError && { isError }),
      });
      return report.set({ busy: true, ...NOBODY });
    }
    case "Notification":
      // Of a permission the agent is still in its turn, and goes on by itself once somebody has answered.
      if (event.notification_type === "permission_prompt") return report.set({ awaitingPermission: true });
      return report.set({ busy: false, awaitingInput: true });
    case "StopFailure":
      report.failed({ at, text: event.error ?? "the turn failed" });
      return report.set({ busy: false });
    case "Stop":
      report.turn({ role: "assistant", text: event.last_assistant_message ?? "", at });
      return report.set({ busy: false, ...NOBODY });
  }
}

function commandOf({ tool_input: input = {} }: HookEvent): { command?: string } {
  const name = TELLING.find((member) => typeof input[member] === "string");
  return name === undefined ? {} : { command: String(input[name]) };
}
