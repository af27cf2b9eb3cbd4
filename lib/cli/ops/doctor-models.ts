import type { Clock } from "../../core/clock.ts";
import { isAppError } from "../../core/errors.ts";
import {
  keyEnvOf,
  parseConfig,
  priceOf,
  type Config,
  type ModelConfig,
  type RemoteModelConfig,
} from "../../model/config.ts";
import type { Finding } from "./doctor.ts";

/** A server that takes longer to say anything is not there. */
const REACH_MS = 5000;
const PROBE_MS = 30_000;

type Deps = {
  path: string;
  /** Of config.json; undefined when there is none. */
  text: string | undefined;
  keyOf(name: string): string | undefined;
  clock: Clock;
};

/**
 * What config.json says of each model, and whether that can work: a key that is not set, a server that is not there,
 * a price that nobody looked up. `isProbing` asks each one for a single token. No key is printed or sent elsewhere.
 */
export async function modelFindings(deps: Deps, { isProbing }: { isProbing: boolean }): Promise<Finding[]> {
  const { path, text } = deps;
  if (text === undefined) {
    return [
      { check: "models", state: "ok", found: "no config.json: the offline writer answers every alias" },
    ];
  }
  let config: Config;
  try {
    config = parseConfig(text);
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return [
      {
        check: "models",
        state: "fail",
        found,
        fix: `Mend ${path}; a host does not start on it.`,
      },
    ];
  }
  const aliases = Object.entries(config.models);
  if (aliases.length === 0) return [{ check: "models", state: "ok", found: `none in ${path}` }];
  const found = await Promise.all(
    aliases.map(([alias, model]) => findingsOf({ ...deps, config, isProbing }, alias, model)),
  );
  return found.flat();
}

type Checking = Deps & { config: Config; isProbing: boolean };

async function findingsOf(checking: Checking, alias: string, model: ModelConfig): Promise<Finding[]> {
  const { config, path } = checking;
  if (model.provider === "offline") return [{ check: "models", state: "ok", found: `${alias} = offline` }];
  const name = `${alias} = ${model.provider} ${model.model}`;
  const fail = (why: string, fix: string): Finding => ({
    check: "models",
    state: "fail",
    found: `${name}: ${why}`,
    fix,
  });
  const keyEnv = keyEnvOf(model);
  const findings: Finding[] = [];
  if (keyEnv !== undefined && checking.keyOf(keyEnv) === undefined) {
    findings.push(
      fail(`${keyEnv} is not set`, `Set ${keyEnv} where the host is started, then start it again.`),
    );
  }
  const unreachable = model.baseUrl === undefined ? undefined : await whyUnreachable(model.baseUrl);
  if (unreachable !== undefined) {
    findings.push(fail(unreachable, `Start that server, or mend models.${alias}.baseUrl in ${path}.`));
  }
  if (findings.length === 0 && checking.isProbing) findings.push(await probed(checking, alias, model));
  if (priceOf(config, model) === null) {
    findings.push({
      check: "models",
      state: "warn",
      found: `${name}: no price, so its cost is not known and a budget in dollars does not compile`,
      fix: `Add prices["${model.model}"] to ${path}, or "price": "free" to models.${alias}.`,
    });
  }
  return findings.length > 0 ? findings : [{ check: "models", state: "ok", found: name }];
}

/** Any answer will do; nothing but the address is sent. */
async function whyUnreachable(baseUrl: string): Promise<string | undefined> {
  const { origin, pathname } = new URL(baseUrl);
  try {
    const signal = AbortSignal.timeout(REACH_MS);
    const answer = await fetch(`${origin}${pathname}`, { signal, redirect: "manual" });
    await answer.body?.cancel();
    return undefined;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
    const why = cause?.code ?? (error instanceof Error ? error.name : "unknown");
    return `${origin}${pathname} cannot be reached (${why})`;
  }
}

/** One token through the code that a run goes through. */
async function probed(checking: Checking, alias: string, model: RemoteModelConfig): Promise<Finding> {
  const { config, keyOf, clock, path } = checking;
  const { createConfiguredModel } = await import("../../model/configured-model.ts");
  const name = `${alias} = ${model.provider} ${model.model}`;
  const startedAt = clock.now();
  try {
    const reply = await createConfiguredModel(
      config,
      model,
      keyOf,
    )({
      runId: "run_probe",
      stepId: "probe",
      model: alias,
      instructions: "Answer with one word.",
      parts: [],
      returns: "text",
      schema: null,
      maxOutputTokens: 1,
      temperature: null,
      tools: [],
      maxTurns: 1,
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const ms = clock.now() - startedAt;
    return { check: "models", state: "ok", found: `${name}: ${reply.model} answered in ${ms} ms` };
  } catch (error) {
    const isThrottled = isAppError(error) && error.code === "model_throttled";
    // Only our own errors are known to hold no part of a key.
    const why = isAppError(error) ? error.message : `no answer in ${PROBE_MS / 1000} s`;
    return {
      check: "models",
      state: isThrottled ? "warn" : "fail",
      found: `${name}: ${why}`,
      fix: isThrottled
        ? "It works, and is asked too often now: runs wait as long as it says."
        : `See models.${alias} in ${path}.`,
    };
  }
}
