import type { RegisteredTool } from "../../core/registered.ts";
import { appStateAppendTool, appStateListTool } from "./app-state.ts";
import { hostLoadTool } from "./host-load.ts";
import type { StewardPorts } from "./ports.ts";
import { sessionAskTool } from "./session-ask.ts";
import { sessionEvidenceTool, toolCallsTool } from "./session-evidence.ts";
import { sessionListTool } from "./session-list.ts";
import { wrapupApplyTool } from "./wrapup-apply.ts";
import { wrapupPlanTool } from "./wrapup-plan.ts";

/** The tools of a session steward, by name. All but one leave sessions as they are; that one is `session_wrapup_apply`. */
export function createStewardTools(ports: StewardPorts): Record<string, RegisteredTool> {
  const tools: RegisteredTool[] = [
    sessionListTool(ports),
    wrapupPlanTool(ports),
    wrapupApplyTool(ports),
    sessionEvidenceTool(ports),
    toolCallsTool(ports),
    hostLoadTool(ports),
    appStateListTool(ports),
    appStateAppendTool(ports),
    sessionAskTool(ports),
    { name: "model_roles", call: async () => ({ value: ports.modelRoles() }) },
  ];
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]));
}
