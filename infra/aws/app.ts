import { realpathSync } from "node:fs";
import { App, Tags } from "aws-cdk-lib";
import { bundleFunctions } from "../bundle.ts";
import { AppStack } from "./app-stack.ts";
import { DataStack } from "./data-stack.ts";
import { bundledCode, type HandlerCode } from "./handler-code.ts";
import { readSettings, type Settings } from "./settings.ts";

export type MythosAppProps = {
  handlerCode: HandlerCode;
  /** Context as the command line or cdk.json would give it. @default none */
  context?: Record<string, unknown>;
  /** Where the templates go. @default what the CDK command line says, else a temporary folder */
  outdir?: string;
};

/** CDK feature flags that touch something of ours; context of the command line still wins. */
const FLAGS = {
  // A table cannot go while a function still names it.
  "@aws-cdk/core:defaultCrossStackReferences": "strong",
  // A template that CloudFormation's rules call wrong is an error here, not a warning.
  "@aws-cdk/core:validateAgainstDefaultRules": true,
  "@aws-cdk/core:checkSecretUsage": true,
  "@aws-cdk/core:explicitStackTags": true,
  "@aws-cdk/aws-iam:minimizePolicies": true,
};

export type MythosApp = { app: App; data: DataStack; application: AppStack; settings: Settings };

/** The whole deployment, free of any account: it synthesises with no credentials and no network. */
export function createApp(props: MythosAppProps): MythosApp {
  const { handlerCode, context, ...appProps } = props;
  const app = new App({ ...appProps, context: { ...FLAGS, ...context } });
  const settings = readSettings(app.node);
  const stackName = (part: string) => `mythos-${settings.stage}-${part}`;
  const data = new DataStack(app, "Data", {
    stackName: stackName("data"),
    description: "Mythos Loops: tables.",
    kms: settings.kms,
  });
  const application = new AppStack(app, "App", {
    stackName: stackName("app"),
    description: "Mythos Loops: functions, queues, rules and the HTTP API.",
    tables: data.tables,
    key: data.key,
    settings,
    handlerCode,
  });
  Tags.of(app).add("mythos:stage", settings.stage);
  return { app, data, application, settings };
}

const entry = process.argv[1];
if (entry !== undefined && realpathSync(entry) === import.meta.filename) {
  const { app, application, settings } = createApp({ handlerCode: bundledCode(await bundleFunctions()) });
  const { judge } = await import("./nag.ts");
  judge(app, application, settings);
  app.synth();
}
