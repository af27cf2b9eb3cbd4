import { Code } from "aws-cdk-lib/aws-lambda";
import { Template } from "aws-cdk-lib/assertions";
import { createApp, type MythosApp } from "../../../infra/aws/app.ts";

// `npm run synth` checks against CloudFormation's own rules; here that would be five of six seconds a file.
process.env["CDK_VALIDATION"] = "false";

/** The templates of a deployment, without bundling a handler; changed by somebody first when a test says so. */
export function synthesise(
  context: Record<string, unknown> = {},
  change: (stacks: Pick<MythosApp, "data" | "application">) => void = () => {},
) {
  const handler = { code: Code.fromInline("exports.handler = () => {}"), handler: "index.handler" };
  const { data, application } = createApp({
    context,
    handlerCode: () => handler,
  });
  change({ data, application });
  return {
    data: Template.fromStack(data),
    app: Template.fromStack(application),
    stacks: { data, application },
  };
}
export type Synthesised = ReturnType<typeof synthesise>;

/** Properties of every resource of one type, by logical id. */
export function resources<P>(template: Template, type: string): Map<string, P> {
  const found = Object.entries(template.findResources(type));
  return new Map(found.map(([id, resource]) => [id, (resource["Properties"] ?? {}) as P]));
}

export type FunctionProperties = {
  Description: string;
  Timeout: number;
  MemorySize: number;
  Runtime: string;
  Architectures: string[];
  Role: unknown;
  LoggingConfig: { LogGroup: unknown };
  Environment?: { Variables: Record<string, unknown> };
  RecursiveLoop?: string;
  ReservedConcurrentExecutions?: number;
  TracingConfig?: { Mode: string };
};

export const functions = ({ app }: Synthesised): [string, FunctionProperties][] => [
  ...resources<FunctionProperties>(app, "AWS::Lambda::Function"),
];

/** Handler files by the logical id of their function, which is how other resources name it. */
export const fileOf = (synthesised: Synthesised): Map<string, string> =>
  new Map(functions(synthesised).map(([id, properties]) => [id, properties.Description]));

/** A value of the template as text: `RunQueue.Arn`, `MemosTable.Arn/index/byOwner`, imports followed to their table. */
export function spell(synthesised: Synthesised, value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  const [[intrinsic, argument] = []] = Object.entries(value as Record<string, unknown>);
  switch (intrinsic) {
    case "Ref":
      return String(argument);
    case "Fn::GetAtt":
      return (argument as string[]).join(".");
    case "Fn::Join":
      return (argument as [string, unknown[]])[1].map((part) => spell(synthesised, part)).join("");
    case "Fn::ImportValue": {
      const exported = Object.values(synthesised.data.findOutputs("*")).find(
        (output) => output["Export"].Name === argument,
      );
      if (!exported) throw new Error(`nothing exports ${String(argument)}`);
      return spell(synthesised, exported["Value"]);
    }
    default:
      throw new Error(`cannot spell ${JSON.stringify(value)}`);
  }
}
