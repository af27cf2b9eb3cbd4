import { Stack, type StackProps } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { FUNCTIONS, type FunctionDeclaration, type FunctionName } from "../topology.ts";
import { accessOf } from "./access.ts";
import { createAlarms } from "./alarms.ts";
import { createDashboard } from "./dashboard.ts";
import { createExtras, environmentOf } from "./environment.ts";
import type { HandlerCode } from "./handler-code.ts";
import { DeclaredHttpApi } from "./http-api.ts";
import { logicalName } from "./names.ts";
import { NodeFunction } from "./node-function.ts";
import { createFailures, createQueues, type Queues } from "./queues.ts";
import { Schedules } from "./schedules.ts";
import type { Settings } from "./settings.ts";
import type { Tables } from "./tables.ts";

export type AppStackProps = StackProps & {
  tables: Tables;
  /** Absent where the tables are under AWS's own key. */
  key: IKey | undefined;
  settings: Settings;
  handlerCode: HandlerCode;
};

const DECLARED = Object.entries<FunctionDeclaration>(FUNCTIONS) as [FunctionName, FunctionDeclaration][];

/** Everything that can be replaced: functions, doorbells, rules and the API. */
export class AppStack extends Stack {
  readonly functions: Record<FunctionName, NodeFunction>;
  readonly queues: Queues;
  /** Rounds that failed or were never started. */
  readonly failures: Queue;
  readonly http: DeclaredHttpApi;
  readonly schedules: Schedules;

  constructor(scope: Construct, id: string, props: AppStackProps) {
    super(scope, id, props);
    this.queues = createQueues(this);
    this.failures = createFailures(this);
    this.functions = this.createFunctions(props);
    this.http = new DeclaredHttpApi(this, "Http", {
      authorizer: this.functions.authorizer,
      routes: DECLARED.map(([name, { routes, people }]) => ({
        id: logicalName(name),
        fn: this.functions[name],
        routes: routes ?? [],
        people: people === true,
      })),
      signIn: props.settings.signIn,
      corsOrigins: props.settings.corsOrigins,
    });
    this.schedules = new Schedules(
      this,
      "Schedules",
      DECLARED.flatMap(([name, { schedule }]) =>
        schedule ? [{ id: logicalName(name), fn: this.functions[name], everyMin: schedule.everyMin }] : [],
      ),
      this.failures,
    );
    this.bindQueues();
    const { tables, settings } = props;
    createAlarms({ stack: this, tables, settings });
    createDashboard(this, tables, settings.stage);
  }

  private createFunctions({ tables, key, settings, handlerCode }: AppStackProps): AppStack["functions"] {
    const extras = createExtras(this, settings);
    const { bedrockModels, pepperParameter, previousPepperParameter, pepperKey } = settings;
    const resources = {
      tables,
      key,
      queues: this.queues,
      extras,
      bedrockModels,
      pepperParameters: [pepperParameter, previousPepperParameter].filter((name) => name !== undefined),
      pepperKey,
    };
    const entries = DECLARED.map(([name, declaration]) => [
      name,
      new NodeFunction(this, logicalName(name), {
        declaration,
        ...handlerCode(name),
        environment: environmentOf(declaration, resources),
        access: accessOf(this, declaration, resources),
        tracing: settings.tracing,
        failures: this.failures,
      }),
    ]);
    return Object.fromEntries(entries) as AppStack["functions"];
  }

  private bindQueues(): void {
    for (const [name, { queue }] of DECLARED) {
      if (!queue) continue;
      // The limit stands on the event source and not on the function: with reserved concurrency the pollers take
      // messages they cannot run, and valid ones end in the dead-letter queue.
      this.functions[name].addEventSource(
        new SqsEventSource(this.queues[queue.name].queue, {
          batchSize: queue.batchSize,
          maxConcurrency: queue.maxConcurrency,
          reportBatchItemFailures: true,
        }),
      );
    }
  }
}
