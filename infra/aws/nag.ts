import { Validations, type App } from "aws-cdk-lib";
import { CfnRoute } from "aws-cdk-lib/aws-apigatewayv2";
import { AwsSolutionsChecks } from "cdk-nag";
import { FUNCTIONS, type FunctionDeclaration, type FunctionName } from "../topology.ts";
import type { AppStack } from "./app-stack.ts";
import type { Settings } from "./settings.ts";

/** Has every synthesis judged by cdk-nag's AwsSolutions rules; a finding that nobody answers for ends it. */
export function judge(app: App, application: AppStack, settings: Settings): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  Validations.of(application.failures).acknowledge({
    id: "AwsSolutions-SQS3",
    reason: "It is itself where failed rounds end; nothing consumes it, so nothing can fail to.",
  });
  acknowledgeOpenRoutes(application);
  acknowledgeModels(application, settings);
  if (settings.tracing) acknowledgeTracing(application);
}

function acknowledgeOpenRoutes({ http }: AppStack): void {
  const open = Object.values<FunctionDeclaration>(FUNCTIONS)
    .flatMap(({ routes }) => routes ?? [])
    .filter(({ auth }) => auth === "none")
    .map(({ method, path }) => `${method} ${path}`);
  for (const route of http.node.findAll()) {
    if (!(route instanceof CfnRoute) || !open.includes(route.routeKey)) continue;
    Validations.of(route).acknowledge({
      id: "AwsSolutions-APIG4",
      reason: /\/(healthz|openapi\.json)$/.test(route.routeKey)
        ? "It answers a constant and touches no store."
        : "A route of operators: its handler checks x-internal-key in constant time, before anything else.",
    });
  }
}

function acknowledgeModels({ functions }: AppStack, { bedrockModels }: Settings): void {
  const reason = "Models by the vendor's patterns that the deployment chose; a profile spreads over regions.";
  for (const [name, declaration] of Object.entries<FunctionDeclaration>(FUNCTIONS)) {
    if (!declaration.model) continue;
    const { role } = functions[name as FunctionName];
    for (const pattern of bedrockModels) {
      for (const resource of [
        `<AWS::AccountId>:inference-profile/*.${pattern}`,
        `:foundation-model/${pattern}`,
      ]) {
        Validations.of(role!).acknowledge({
          id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*:${resource}]`,
          reason,
        });
      }
    }
  }
}

function acknowledgeTracing({ functions }: AppStack): void {
  for (const { role } of Object.values(functions)) {
    Validations.of(role!).acknowledge({
      id: "AwsSolutions-IAM5[Resource::*]",
      reason: "X-Ray's two actions take no resource; they are there only with -c tracing=true.",
    });
  }
}
