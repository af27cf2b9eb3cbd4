import type { Aws } from "../aws-adapter.ts";
import type { Finding } from "./doctor.ts";

/** Made by `cdk bootstrap`, with its standard name. */
const BOOTSTRAP = "CDKToolkit";

const WELL = new Set(["CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"]);

/** What of a deployment is there and what is missing, in the order in which it is made; and where its API is. */
export async function awsFindings(
  aws: Aws,
  {
    stage,
    pepperParameter = `/mythos/${stage}/key-pepper`,
  }: { stage: string; pepperParameter?: string | undefined },
): Promise<{ findings: Finding[]; url: string | undefined }> {
  const findings: Finding[] = [];
  try {
    const { account, arn } = await aws.identity();
    findings.push({ check: "identity", state: "ok", found: `account ${account} as ${arn}` });
    findings.push({ check: "region", state: "ok", found: await aws.region() });
  } catch (error) {
    findings.push({
      check: "identity",
      state: "fail",
      found: `AWS does not know who this is (${nameOf(error)})`,
      fix: "Sign in (aws sso login, or AWS_PROFILE) and set AWS_REGION.",
    });
    return { findings, url: undefined };
  }
  const look = async (check: string, name: string, missing: string) => {
    try {
      const stack = await aws.stack(name);
      findings.push(stackFinding(check, name, stack?.status, missing));
      return stack;
    } catch (error) {
      findings.push({ check, state: "warn", found: `${name} cannot be looked at (${nameOf(error)})` });
      return undefined;
    }
  };
  await look("bootstrap", BOOTSTRAP, "npx cdk bootstrap");
  findings.push(await pepperFinding(aws, pepperParameter));
  const deploy = `npx mythos deploy --stage ${stage}`;
  await look("data", `mythos-${stage}-data`, deploy);
  const app = await look("app", `mythos-${stage}-app`, deploy);
  const url = app?.outputs["ApiUrl"];
  if (url) findings.push({ check: "api", state: "ok", found: url });
  return { findings, url };
}

function stackFinding(check: string, name: string, status: string | undefined, missing: string): Finding {
  if (status === undefined) return { check, state: "fail", found: `${name} is not there`, fix: missing };
  if (WELL.has(status)) return { check, state: "ok", found: `${name} ${status}` };
  const isWorking = status.endsWith("_IN_PROGRESS");
  return {
    check,
    state: isWorking ? "warn" : "fail",
    found: `${name} is ${status}`,
    fix: isWorking ? "Wait until it is done." : "See the events of this stack in CloudFormation.",
  };
}

async function pepperFinding(aws: Aws, name: string): Promise<Finding> {
  const check = "parameter";
  const fix = `aws ssm put-parameter --type SecureString --name ${name} --value "$(openssl rand -hex 32)"`;
  try {
    const type = await aws.parameterType(name);
    if (type === undefined) return { check, state: "fail", found: `${name} is not there`, fix };
    if (type === "SecureString") return { check, state: "ok", found: name };
    return { check, state: "fail", found: `${name} is a ${type}, for everybody who may read it`, fix };
  } catch (error) {
    return { check, state: "warn", found: `${name} cannot be looked at (${nameOf(error)})` };
  }
}

/** The raw text of an SDK's error says too much. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
