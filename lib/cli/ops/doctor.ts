import { statSync } from "node:fs";
import { join } from "node:path";
import { print, type CommandLine } from "../command-line.ts";
import { dataFolderOf, readLocalKeys, readText, urlOf } from "../connection.ts";
import { namedVariable } from "../environment.ts";
import { EXIT, type ExitCode } from "../failure.ts";
import { flag, textOption } from "../options.ts";
import type { Given } from "../program.ts";
import { AWS_TARGET, targetLine } from "../target.ts";
import { stageOf } from "./deploy.ts";
import { awsFindings } from "./doctor-aws.ts";
import { hostFindings } from "./doctor-host.ts";
import { modelFindings } from "./doctor-models.ts";

/** `warn` works and deserves a look; `fail` does not work. */
export type Finding = { check: string; state: "ok" | "warn" | "fail"; found: string; fix?: string };

/** Checks what a first hour needs; 1 when something does not work. Nothing is changed. */
export async function doctor(cli: CommandLine, given: Given): Promise<ExitCode> {
  const account = cli.env.target === AWS_TARGET ? await accountFindings(given) : undefined;
  const findings = [
    nodeVersion(),
    ...(account?.findings ?? [
      ...secrets(cli),
      ...(await models(cli, flag(given, "probe"))),
      ...(await hostFindings(cli)),
    ]),
  ];
  if (flag(given, "smoke")) findings.push(...(await smokeFindings(cli, account)));
  const { colours } = cli.terminal;
  const marks = { ok: colours.green("✓"), warn: colours.yellow("!"), fail: colours.red("✗") };
  print(cli, { findings }, () =>
    findings.flatMap(({ check, state, found, fix }) => [
      `${marks[state]} ${check.padEnd(10)} ${found}`,
      ...(fix ? [`  ${" ".repeat(10)} → ${fix}`] : []),
    ]),
  );
  return findings.some(({ state }) => state === "fail") ? EXIT.failed : EXIT.ok;
}

/** What the account has of a deployment. The SDK is loaded for this alone. */
async function accountFindings(given: Given) {
  const stage = stageOf(given);
  const { openAws } = await import("../aws-adapter.ts");
  return awsFindings(openAws(), { stage, pepperParameter: textOption(given, "pepperParameter") });
}

/** The whole way once, with an agent's key and a person's: whoever asked may not decide. */
async function smokeFindings(
  cli: CommandLine,
  account: { url: string | undefined } | undefined,
): Promise<Finding[]> {
  const { env, terminal, clock } = cli;
  if (account && account.url === undefined) {
    return [{ check: "smoke", state: "fail", found: "there is no API to try", fix: "Deploy first." }];
  }
  const url = account?.url ?? urlOf(env);
  const local = account ? {} : readLocalKeys(env);
  const agentKey = env.key ?? local.agentKey;
  const stewardKey = env.stewardKey ?? local.stewardKey;
  if (!agentKey || !stewardKey) {
    const fix =
      "Set MYTHOS_KEY to an agent's key and MYTHOS_STEWARD_KEY to a person's: whoever asked may not decide.";
    return [{ check: "smoke", state: "fail", found: "it takes two keys", fix }];
  }
  terminal.say(targetLine(env, url, terminal.tones));
  const { smoke } = await import("./smoke.ts");
  return smoke({ url, agentKey, stewardKey, clock, progress: terminal.progress });
}

function nodeVersion(): Finding {
  const { node } = process.versions;
  const major = Number(node.split(".")[0]);
  if (major >= 24) return { check: "node", state: "ok", found: node };
  if (major >= 22)
    return { check: "node", state: "warn", found: node, fix: "Node 24 is what the functions run on." };
  return {
    check: "node",
    state: "fail",
    found: node,
    fix: "npm ci with optional dependencies brings Node 24.",
  };
}

/** The folder holds keys: nobody else may read it. */
function secrets(cli: CommandLine): Finding[] {
  if (cli.env.url) return [];
  const folder = dataFolderOf(cli.env);
  const found: Finding[] = [];
  for (const [path, allowed] of [
    [folder, 0o700],
    [join(folder, "keys.json"), 0o600],
  ] as const) {
    const mode = modeOf(path);
    if (mode === undefined) {
      found.push({
        check: "data",
        state: "warn",
        found: `${path} is not there yet`,
        fix: "npm start makes it.",
      });
      break;
    }
    const isOpen = process.platform !== "win32" && (mode & ~allowed & 0o777) !== 0;
    found.push(
      isOpen
        ? {
            check: "data",
            state: "warn",
            found: `${path} can be read by others`,
            fix: `chmod ${allowed.toString(8)} ${path}`,
          }
        : { check: "data", state: "ok", found: path },
    );
  }
  return found;
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode;
  } catch {
    return undefined;
  }
}

/** The config of a host on this machine; what one elsewhere has is not known here. */
async function models({ env, clock, terminal }: CommandLine, isProbing: boolean): Promise<Finding[]> {
  if (env.url && !env.config) return [];
  const path = env.config ?? join(dataFolderOf(env), "config.json");
  const text = readText(path);
  if (text === undefined && env.config) {
    const fix = "Mend MYTHOS_CONFIG, or take it away: the host does not start with it.";
    return [{ check: "models", state: "fail", found: `${path} cannot be read`, fix }];
  }
  if (isProbing) terminal.progress("asking the models …");
  const findings = await modelFindings({ path, text, keyOf: namedVariable, clock }, { isProbing });
  terminal.progress("");
  return findings;
}
