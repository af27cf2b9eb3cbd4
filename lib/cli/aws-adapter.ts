import {
  CloudFormationClient,
  DescribeStackResourceCommand,
  DescribeStacksCommand,
} from "@aws-sdk/client-cloudformation";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createKeyStore, type KeyStore } from "../api-keys/store.ts";

/** An account as the credentials of this shell see it; nothing is changed there, and no secret is read. */
export type Aws = {
  region(): Promise<string>;
  identity(): Promise<{ account: string; arn: string }>;
  /** A stack as it stands; undefined when there is none. */
  stack(name: string): Promise<{ status: string; outputs: Record<string, string> } | undefined>;
  /** Whether a parameter is there, and of which type; its value stays where it is. */
  parameterType(name: string): Promise<string | undefined>;
};

export type KeysOfTable = Pick<KeyStore, "putKey" | "keysOf">;

/** What the first key of a deployment takes: its pepper is read and its table written. */
export type AwsKeys = {
  account(): Promise<string>;
  /** The name of a stack's table; undefined when there is no such stack or table. */
  table(stack: string, logicalId: string): Promise<string | undefined>;
  /** The decrypted value of a parameter; undefined when it is not there. */
  secret(name: string): Promise<string | undefined>;
  keys(table: string): KeysOfTable;
};

/** A person waits for the answer. */
const BOUNDS = {
  maxAttempts: 2,
  requestHandler: { requestTimeout: 5000, throwOnRequestTimeout: true, connectionTimeout: 2000 },
};

/** CloudFormation says of what is not there that the request is not valid. */
const isMissing = (error: unknown): boolean => error instanceof Error && /does not exist/.test(error.message);

/** Opened for the first key alone: everything else that looks at an account reads no secret and changes nothing. */
export function openAwsKeys(): AwsKeys {
  const doc = DynamoDBDocumentClient.from(new DynamoDBClient(BOUNDS), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const sts = new STSClient(BOUNDS);
  const cloudFormation = new CloudFormationClient(BOUNDS);
  const ssm = new SSMClient(BOUNDS);
  return {
    account: async () => (await sts.send(new GetCallerIdentityCommand({}))).Account ?? "",
    async table(stack, logicalId) {
      const named = { StackName: stack, LogicalResourceId: logicalId };
      try {
        const { StackResourceDetail } = await cloudFormation.send(new DescribeStackResourceCommand(named));
        return StackResourceDetail?.PhysicalResourceId;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async secret(name) {
      const asked = { Names: [name], WithDecryption: true };
      const { Parameters = [] } = await ssm.send(new GetParametersCommand(asked));
      return Parameters[0]?.Value;
    },
    keys: (control) => createKeyStore(doc, { control }),
  };
}

/** The only place of the command line that speaks to AWS; loaded by the commands that do. */
export function openAws(): Aws {
  const sts = new STSClient(BOUNDS);
  const cloudFormation = new CloudFormationClient(BOUNDS);
  const ssm = new SSMClient(BOUNDS);
  return {
    region: async () => sts.config.region(),
    async identity() {
      const { Account = "", Arn = "" } = await sts.send(new GetCallerIdentityCommand({}));
      return { account: Account, arn: Arn };
    },
    async stack(name) {
      try {
        const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
        const [stack] = Stacks;
        if (!stack) return undefined;
        const outputs = (stack.Outputs ?? []).map(({ OutputKey = "", OutputValue = "" }) => [
          OutputKey,
          OutputValue,
        ]);
        return {
          status: stack.StackStatus ?? "",
          outputs: Object.fromEntries(outputs) as Record<string, string>,
        };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async parameterType(name) {
      // Not decrypted: that it is there is all that is asked.
      const { Parameters = [] } = await ssm.send(new GetParametersCommand({ Names: [name] }));
      return Parameters[0]?.Type;
    },
  };
}
