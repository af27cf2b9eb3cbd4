import { Duration, RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  Function,
  RecursiveLoop,
  Runtime,
  Tracing,
  type Code,
  type IDestination,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import type { FunctionDeclaration } from "../topology.ts";

export type NodeFunctionProps = {
  declaration: FunctionDeclaration;
  code: Code;
  /** Module and export of the handler inside the code. */
  handler: string;
  environment: Record<string, string>;
  access: readonly PolicyStatement[];
  tracing: boolean;
  /** Where a scheduled round that failed is told. */
  failures: IQueue;
};

/** One declared handler on Lambda, with a role of its own that holds the given statements and its log. */
export class NodeFunction extends Function {
  constructor(scope: Construct, id: string, props: NodeFunctionProps) {
    const { declaration } = props;
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Instead of the managed AWSLambdaBasicExecutionRole, which may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    super(scope, id, {
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: props.code,
      handler: props.handler,
      timeout: Duration.seconds(declaration.timeoutSec),
      memorySize: declaration.memoryMb,
      environment: props.environment,
      initialPolicy: [...props.access],
      tracing: props.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      // Lambda stops a function that feeds its own queue after 16 rounds; the code bounds the hops itself.
      ...(declaration.recursion === "allow" && { recursiveLoop: RecursiveLoop.ALLOW }),
      role,
      logGroup,
      description: declaration.file,
    });
    if (declaration.schedule) {
      // A tick that failed or came late is worth nothing: the next one does the same work.
      this.configureAsyncInvoke({
        retryAttempts: 0,
        maxEventAge: Duration.minutes(declaration.schedule.everyMin),
        onFailure: toQueue(props.failures),
      });
    }
  }
}

/** As CDK's own destination, without the two actions that nobody calls. */
const toQueue = (queue: IQueue): IDestination => ({
  bind(_scope, fn) {
    fn.addToRolePolicy(new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [queue.queueArn] }));
    return { destination: queue.queueArn };
  },
});
