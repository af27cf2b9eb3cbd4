import { AppError } from "../core/errors.ts";
import { ANSWER_TOOL, answerTool, jsonFormOf, jsonTextOf, type JsonForm } from "./json-form.ts";
import type { CallOptions, Generated, Prompt } from "./language-model.ts";
import { estimateTokens, type Model, type ModelReply, type ModelRequest, type Usage } from "./model.ts";
import { providerError } from "./provider-error.ts";
import type { Provider } from "./provider.ts";
import { renderPrompt } from "./render-prompt.ts";
import { assistantMessage, declaredTool, toolCallsOf, toolMessage } from "./tool-turn.ts";
import { costOf, sumUsage } from "./usage.ts";
import { usageOf } from "./reported-usage.ts";

const LAST_TURN = "This was the last call of a tool. Give your answer now.";

/**
 * A configured model of any provider that the AI SDK speaks to. One request is one answer, with turns between
 * model and tools up to its limit. Nothing is tried again here: the runner does that.
 */
export function createAiSdkModel(provider: Provider): Model {
  return async (request) => {
    const form = jsonFormOf(request, provider);
    const { system, user } = renderPrompt(request, { showSchema: form.shown });
    checkKey(provider, request);
    checkWindow(provider, request, system, user);
    const prompt: Prompt = [
      { role: "system", content: system },
      { role: "user", content: [{ type: "text", text: user }] },
    ];
    const usages: Usage[] = [];
    try {
      for (let turn = 1; ; turn++) {
        request.signal.throwIfAborted();
        const isLast = turn >= request.maxTurns;
        const result = await ask(request, { prompt, form, isLast, provider });
        usages.push(usageOf(provider, prompt, result));
        const calls = toolCallsOf(result.content);
        if (calls.length === 0 || isLast || calls.some(({ toolName }) => toolName === ANSWER_TOOL)) {
          return replyOf(provider, request, { form, result, usage: sumUsage(usages) });
        }
        const note = turn + 1 >= request.maxTurns ? LAST_TURN : null;
        prompt.push(assistantMessage(result.content), await toolMessage(request.tools, calls, note));
      }
    } catch (error) {
      // Why it was aborted says more than how the library felt it.
      request.signal.throwIfAborted();
      throw providerError(provider, request.stepId, error);
    }
  };
}

async function ask(
  request: ModelRequest,
  given: { prompt: Prompt; form: JsonForm; isLast: boolean; provider: Provider },
): Promise<Generated> {
  const { prompt, form, isLast, provider } = given;
  const { maxOutputTokens, temperature, signal } = request;
  return await provider.model.doGenerate({
    prompt,
    abortSignal: signal,
    ...(maxOutputTokens !== null && { maxOutputTokens }),
    ...(temperature !== null && { temperature }),
    ...(form.mode === "native" && form.schema && { responseFormat: { type: "json", schema: form.schema } }),
    ...toolOptions(request, form, isLast && provider.mayForbidTools ? "none" : "auto"),
    // Schemas of workflows have optional fields, which the strict mode refuses.
    providerOptions: { openaiCompatible: { strictJsonSchema: false } },
  });
}

function toolOptions(
  { tools, maxTurns }: Pick<ModelRequest, "tools" | "maxTurns">,
  { mode, schema }: JsonForm,
  choice: "none" | "auto",
): Pick<CallOptions, "tools" | "toolChoice"> {
  const declared = maxTurns > 1 ? tools.map(declaredTool) : [];
  if (mode === "tool" && schema) {
    return {
      tools: [...declared, answerTool(schema)],
      toolChoice:
        declared.length === 0 || choice === "none"
          ? { type: "tool", toolName: ANSWER_TOOL }
          : { type: "required" },
    };
  }
  return declared.length === 0 ? {} : { tools: declared, toolChoice: { type: choice } };
}

function replyOf(
  provider: Provider,
  { stepId, returns }: Pick<ModelRequest, "stepId" | "returns">,
  { form, result, usage }: { form: JsonForm; result: Generated; usage: Usage },
): ModelReply {
  const answer = toolCallsOf(result.content).find(({ toolName }) => toolName === ANSWER_TOOL);
  const said = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const stop = stopOf(result, answer !== undefined);
  if (stop === "failed" || (stop === "end" && said === "" && answer === undefined)) {
    const reason = result.finishReason.raw ?? "no reason";
    const message = `${provider.name} answered without a text (${/^[\w-]{1,40}$/.test(reason) ? reason : "no reason"})`;
    throw new AppError("model_failed", message, { stepId, attempts: 1 });
  }
  return {
    text: returns === "json" ? jsonTextOf(answer?.input ?? said, form) : said,
    model: result.response?.modelId ?? provider.modelId,
    usage,
    stop,
    costMicroUsd: costOf(usage, provider.price),
  };
}

/** A turn that ends in a tool call when no turn is left was cut short, as by a length. */
function stopOf(
  { finishReason: { unified, raw } }: Generated,
  isAnswered: boolean,
): ModelReply["stop"] | "failed" {
  if (unified === "content-filter") return "refusal";
  if (unified === "length" || raw === "model_context_window_exceeded") return "length";
  if (unified === "tool-calls") return isAnswered ? "end" : "length";
  return unified === "error" || unified === "interrupted" ? "failed" : "end";
}

function checkKey({ name, key }: Provider, { stepId }: ModelRequest): void {
  if (key === null || key.isSet) return;
  const message = `${name} needs a key: the environment variable ${key.env} is not set`;
  throw new AppError("model_failed", message, { stepId, attempts: 0 });
}

/** Before a call that cannot succeed is paid, or a small server silently drops the beginning of the prompt. */
function checkWindow(
  { window, modelId }: Provider,
  { stepId, maxOutputTokens }: ModelRequest,
  system: string,
  user: string,
): void {
  if (window === null) return;
  const needed = estimateTokens(system) + estimateTokens(user) + (maxOutputTokens ?? 0);
  if (needed <= window) return;
  const message = `step ${stepId} needs about ${needed} tokens; ${modelId} takes ${window}`;
  throw new AppError("model_failed", message, { stepId, attempts: 0 });
}
