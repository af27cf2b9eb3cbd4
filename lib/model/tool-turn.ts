import { ERRORS, isAppError } from "../core/errors.ts";
import type {
  AssistantMessage,
  Content,
  FunctionTool,
  ToolCall,
  ToolMessage,
  ToolResult,
} from "./language-model.ts";
import type { OfferedTool } from "./model.ts";

/** Providers take no other characters in a tool's name. */
const wireName = (name: string): string => name.replace(/[^\w-]/g, "_").slice(0, 64);

/** A tool as the provider is told of it. */
export const declaredTool = ({ name, description, input }: OfferedTool): FunctionTool => ({
  type: "function",
  name: wireName(name),
  description,
  inputSchema: input,
});

export const toolCallsOf = (content: readonly Content[]): ToolCall[] =>
  content.filter((part) => part.type === "tool-call");

/** What the model said, as the next turn repeats it; reasoning goes along, since some providers check its seal. */
export function assistantMessage(content: readonly Content[]): AssistantMessage {
  const parts = content.flatMap((part): AssistantMessage["content"] => {
    if (part.type !== "text" && part.type !== "reasoning" && part.type !== "tool-call") return [];
    const kept = part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
    if (part.type !== "tool-call") return [{ type: part.type, text: part.text, ...kept }];
    const { toolCallId, toolName } = part;
    return [{ type: "tool-call", toolCallId, toolName, input: parsed(part.input)?.value ?? {}, ...kept }];
  });
  return { role: "assistant", content: parts };
}

/** The answers of the tools that were called, each bound to the run it reads for. */
export async function toolMessage(
  tools: readonly OfferedTool[],
  calls: readonly ToolCall[],
  note: string | null,
): Promise<ToolMessage> {
  const results = await Promise.all(calls.map((call) => resultOf(tools, call)));
  const last = results.at(-1);
  if (note !== null && last && "value" in last.output && typeof last.output.value === "string") {
    last.output = { ...last.output, value: `${last.output.value}\n\n${note}` } as typeof last.output;
  }
  return { role: "tool", content: results };
}

async function resultOf(
  tools: readonly OfferedTool[],
  { toolCallId, toolName, input }: ToolCall,
): Promise<ToolResult> {
  const result = (type: "text" | "error-text", value: string): ToolResult => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output: { type, value },
  });
  const tool = tools.find(({ name }) => wireName(name) === toolName);
  if (!tool) return result("error-text", `there is no tool of this name; there are: ${namesOf(tools)}`);
  const given = parsed(input === "" ? "{}" : input);
  if (!given) return result("error-text", "the input is not JSON");
  try {
    return result("text", await tool.call(given.value));
  } catch (error) {
    // The model may mend its input; a store that does not answer, or our own fault, is none of its business.
    if (!isAppError(error) || ERRORS[error.code].disposition === "retry" || error.code === "lease_lost") {
      throw error;
    }
    return result("error-text", error.message);
  }
}

const namesOf = (tools: readonly OfferedTool[]): string =>
  tools.map(({ name }) => wireName(name)).join(", ") || "none";

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
