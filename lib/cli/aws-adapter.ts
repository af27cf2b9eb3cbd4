import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { GetParametersCommand, SSMClient } from "@aws-sdk/client-ssm";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";

/** An account as the credentials of this shell see it; nothing is changed there, and no secret is read. */
export type Aws = {
  region(): Promise<string>;
  identity(): Promise<{ account: string; arn: string }>;
  /** A stack as it stands; undefined when there is none. */
  stack(name: string): Promise<{ status: string; outputs: Record<string, string> } | undefined>;
  /** Whether a parameter is there, and of which type; its value stays where it is. */
  parameterType(name: string): Promise<string | undefined>;
};

/** A person waits for the answer. */
const BOUNDS = {
  maxAttempts: 2,
  requestHandler: { requestTimeout: 5000, throwOnRequestTimeout: true, connectionTimeout: 2000 },
};

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
        // CloudFormation says of a stack that is not there that the request is not valid.
        if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
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
