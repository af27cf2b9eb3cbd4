import { describe, expect, test } from "vitest";
import {
  FUNCTIONS,
  QUEUES,
  type FunctionDeclaration,
  type QueueDeclaration,
} from "../../../infra/topology.ts";
import { fileOf, functions, resources, spell, synthesise } from "./synthesised.ts";

type Integration = { IntegrationUri: unknown; PayloadFormatVersion: string };
type RouteProperties = {
  RouteKey: string;
  AuthorizationType: string;
  AuthorizerId?: unknown;
  Target: unknown;
};
type RuleProperties = {
  ScheduleExpression: string;
  State: string;
  Targets: {
    Arn: unknown;
    RetryPolicy: { MaximumRetryAttempts: number };
    DeadLetterConfig: { Arn: unknown };
  }[];
};
type EventSource = {
  EventSourceArn: unknown;
  FunctionName: unknown;
  BatchSize: number;
  ScalingConfig?: { MaximumConcurrency: number };
  FunctionResponseTypes?: string[];
};
type QueueProperties = {
  VisibilityTimeout?: number;
  MessageRetentionPeriod: number;
  RedrivePolicy?: { deadLetterTargetArn: unknown; maxReceiveCount: number };
};

const synthesised = synthesise();
const { app } = synthesised;
const DECLARED = Object.values<FunctionDeclaration>(FUNCTIONS);
const files = fileOf(synthesised);
const queues = resources<QueueProperties>(app, "AWS::SQS::Queue");
const eventSources = [...resources<EventSource>(app, "AWS::Lambda::EventSourceMapping").values()];

/** Handler file of the function a value names, by its id or its address. */
const handlerOf = (value: unknown): string | undefined =>
  files.get(spell(synthesised, value).replace(/\.Arn$/, ""));
const queueId = (name: string) => `${name[0]!.toUpperCase()}${name.slice(1)}Queue`;
const sorted = (values: Iterable<string>) => [...values].toSorted();

test("the template has the declared functions and no others, each as declared", () => {
  const found = functions(synthesised).map(([, fn]) => ({
    file: fn.Description,
    timeoutSec: fn.Timeout,
    memoryMb: fn.MemorySize,
    recursion: fn.RecursiveLoop,
    runtime: fn.Runtime,
    architectures: fn.Architectures,
  }));
  const declared = DECLARED.map(({ file, timeoutSec, memoryMb, recursion }) => ({
    file,
    timeoutSec,
    memoryMb,
    recursion: recursion === "allow" ? "Allow" : undefined,
    runtime: "nodejs24.x",
    architectures: ["arm64"],
  }));
  expect(found).toHaveLength(declared.length);
  expect(found).toEqual(expect.arrayContaining(declared));
});

test("the functions on both ends of a doorbell may feed each other", () => {
  const allowed = functions(synthesised).filter(([, fn]) => fn.RecursiveLoop === "Allow");
  expect(sorted(allowed.map(([, fn]) => fn.Description))).toEqual([
    "functions/queue-run.ts",
    "functions/queue-wake.ts",
  ]);
});

describe("the HTTP API", () => {
  const integrations = resources<Integration>(app, "AWS::ApiGatewayV2::Integration");
  const routes = [...resources<RouteProperties>(app, "AWS::ApiGatewayV2::Route").values()];
  const authorizers = resources<Record<string, unknown>>(app, "AWS::ApiGatewayV2::Authorizer");

  /** `key` behind the one authorizer, `none` without, else what stands there. */
  function guardOf({ AuthorizationType, AuthorizerId }: RouteProperties): string {
    if (AuthorizationType === "NONE" && AuthorizerId === undefined) return "none";
    const ours = AuthorizerId !== undefined && authorizers.has(spell(synthesised, AuthorizerId));
    return AuthorizationType === "CUSTOM" && ours ? "key" : AuthorizationType;
  }

  test("has the declared routes and no others, each at its function and behind its authorizer", () => {
    const found = routes.map((route) => {
      const integration = integrations.get(spell(synthesised, route.Target).replace(/^integrations\//, ""));
      return `${route.RouteKey} ${guardOf(route)} ${handlerOf(integration?.IntegrationUri)}`;
    });
    const declared = DECLARED.flatMap(({ file, routes: own }) =>
      (own ?? []).map(({ method, path, auth }) => `${method} ${path} ${auth} ${file}`),
    );
    expect(sorted(found)).toEqual(sorted(declared));
  });

  test("sends every function the 2.0 event that the local host sends", () => {
    expect(new Set([...integrations.values()].map((each) => each.PayloadFormatVersion))).toEqual(
      new Set(["2.0"]),
    );
  });

  test("asks the authorizer on every request, whichever header holds the key", () => {
    expect([...authorizers.values()]).toEqual([
      expect.objectContaining({
        AuthorizerType: "REQUEST",
        AuthorizerPayloadFormatVersion: "2.0",
        EnableSimpleResponses: true,
        AuthorizerResultTtlInSeconds: 0,
        IdentitySource: [],
      }),
    ]);
    const [authorizer] = authorizers.values();
    expect(spell(synthesised, authorizer!["AuthorizerUri"])).toContain(
      `functions/${functions(synthesised).find(([, fn]) => fn.Description === "functions/authorizer.ts")![0]}.Arn/`,
    );
  });

  test("F24: every API function ends before the gateway's 30 s, and the authorizer before its 10 s", () => {
    const timeouts = new Map(functions(synthesised).map(([, fn]) => [fn.Description, fn.Timeout]));
    const answering = new Set([...integrations.values()].map((each) => handlerOf(each.IntegrationUri)!));
    expect(answering.size).toBe(DECLARED.filter((each) => each.routes).length);
    expect([...answering].filter((file) => !(timeouts.get(file)! < 30))).toEqual([]);
    expect(timeouts.get("functions/authorizer.ts")).toBeLessThan(10);
  });

  test("is throttled and logs the outcome of a request without its path, query, headers or body", () => {
    const [stage] = resources<Record<string, Record<string, unknown>>>(
      app,
      "AWS::ApiGatewayV2::Stage",
    ).values();
    expect(stage!["DefaultRouteSettings"]).toEqual({
      ThrottlingRateLimit: expect.any(Number),
      ThrottlingBurstLimit: expect.any(Number),
    });
    const format = JSON.parse(String(stage!["AccessLogSettings"]!["Format"])) as Record<string, string>;
    expect(Object.values(format)).toContain("$context.routeKey");
    expect(Object.values(format).join(" ")).not.toMatch(
      /\$context\.(path|authorizer\.(?!error)|requestOverride)/,
    );
  });

  test("answers no other origin: CORS is closed", () => {
    const [api] = resources<Record<string, unknown>>(app, "AWS::ApiGatewayV2::Api").values();
    expect(api).not.toHaveProperty("CorsConfiguration");
  });
});

test("the declared functions have a rule each and no others, without retries of a stale tick", () => {
  const rules = [...resources<RuleProperties>(app, "AWS::Events::Rule").values()];
  const found = rules.map(({ ScheduleExpression, State, Targets }) => {
    expect(Targets).toHaveLength(1);
    expect(Targets[0]!.RetryPolicy.MaximumRetryAttempts).toBe(0);
    expect(spell(synthesised, Targets[0]!.DeadLetterConfig.Arn)).toBe("ScheduleFailures.Arn");
    return `${ScheduleExpression} ${State} ${handlerOf(Targets[0]!.Arn)}`;
  });
  const declared = DECLARED.flatMap(({ file, schedule }) =>
    schedule ? [`rate(${schedule.everyMin} minutes) ENABLED ${file}`] : [],
  );
  expect(sorted(found)).toEqual(sorted(declared));
  expect(found).toHaveLength(3);
  const invoked = resources<{
    FunctionName: unknown;
    MaximumRetryAttempts: number;
    DestinationConfig?: { OnFailure: { Destination: unknown } };
  }>(app, "AWS::Lambda::EventInvokeConfig");
  for (const { DestinationConfig } of invoked.values()) {
    expect(spell(synthesised, DestinationConfig?.OnFailure.Destination)).toBe("ScheduleFailures.Arn");
  }
  const withoutRetry = [...invoked.values()].filter((each) => each.MaximumRetryAttempts === 0);
  expect(sorted(withoutRetry.map((each) => handlerOf(each.FunctionName)!))).toEqual(
    sorted(DECLARED.flatMap(({ file, schedule }) => (schedule ? [file] : []))),
  );
});

describe("the queues", () => {
  test("feed the declared functions and no others, with batch, concurrency and partial failures", () => {
    const found = eventSources.map((source) => ({
      queue: spell(synthesised, source.EventSourceArn),
      file: handlerOf(source.FunctionName),
      batchSize: source.BatchSize,
      maxConcurrency: source.ScalingConfig?.MaximumConcurrency,
      answers: source.FunctionResponseTypes,
    }));
    const declared = DECLARED.flatMap(({ file, queue }) =>
      queue
        ? [
            {
              queue: `${queueId(queue.name)}.Arn`,
              file,
              batchSize: queue.batchSize,
              maxConcurrency: queue.maxConcurrency,
              answers: ["ReportBatchItemFailures"],
            },
          ]
        : [],
    );
    expect(found).toHaveLength(declared.length);
    expect(found).toEqual(expect.arrayContaining(declared));
  });

  test("F01, O24: hide a message for at least six times the timeout of the function they feed", () => {
    expect(eventSources.length).toBeGreaterThan(0);
    for (const source of eventSources) {
      const queue = queues.get(spell(synthesised, source.EventSourceArn).replace(/\.Arn$/, ""))!;
      const [, fn] = functions(synthesised).find(([id]) => id === spell(synthesised, source.FunctionName))!;
      expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * fn.Timeout);
      expect(queue.VisibilityTimeout).toBeLessThanOrEqual(12 * 60 * 60);
    }
  });

  test("F07: limit concurrency at the event source, and never at the function below it", () => {
    for (const source of eventSources) {
      const most = source.ScalingConfig!.MaximumConcurrency;
      expect(most).toBeGreaterThanOrEqual(2);
      const [, fn] = functions(synthesised).find(([id]) => id === spell(synthesised, source.FunctionName))!;
      expect(fn.ReservedConcurrentExecutions ?? most).toBeGreaterThanOrEqual(most);
    }
  });

  test("are the declared ones, each with a dead-letter queue of its own", () => {
    const sources = [...queues].filter(([, queue]) => queue.RedrivePolicy);
    const found = sources.map(
      ([id, { RedrivePolicy }]) =>
        `${id} ${spell(synthesised, RedrivePolicy!.deadLetterTargetArn)} ${RedrivePolicy!.maxReceiveCount}`,
    );
    const declared = Object.entries<QueueDeclaration>(QUEUES).map(
      ([name, { maxReceiveCount }]) =>
        `${queueId(name)} ${queueId(name).replace(/Queue$/, "DeadLetters")}.Arn ${maxReceiveCount}`,
    );
    expect(sorted(found)).toEqual(sorted(declared));
    // And one for the rounds of schedules that fail.
    expect(queues.size).toBe(2 * declared.length + 1);
  });

  test("F11: keep a dead letter 14 days, longer than the queue it came from keeps a message", () => {
    expect(queues.get("ScheduleFailures")!.MessageRetentionPeriod).toBe(1_209_600);
    for (const queue of queues.values()) {
      if (!queue.RedrivePolicy) continue;
      const deadLetters = queues.get(
        spell(synthesised, queue.RedrivePolicy.deadLetterTargetArn).replace(/\.Arn$/, ""),
      )!;
      expect(deadLetters.MessageRetentionPeriod).toBe(1_209_600);
      expect(deadLetters.MessageRetentionPeriod).toBeGreaterThan(queue.MessageRetentionPeriod);
    }
  });
});

test("every function logs to a group of its own that forgets after a month", () => {
  const groups = resources<{ RetentionInDays?: number }>(app, "AWS::Logs::LogGroup");
  const used = functions(synthesised).map(([, fn]) => spell(synthesised, fn.LoggingConfig.LogGroup));
  expect(new Set(used).size).toBe(used.length);
  expect([...groups].filter(([, { RetentionInDays }]) => RetentionInDays !== 30)).toEqual([]);
  expect(used.every((id) => groups.has(id))).toBe(true);
});
