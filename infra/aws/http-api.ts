import { CfnOutput, Duration, RemovalPolicy } from "aws-cdk-lib";
import {
  CfnApi,
  CorsHttpMethod,
  type CorsPreflightOptions,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from "aws-cdk-lib/aws-apigatewayv2";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  HttpJwtAuthorizer,
  HttpLambdaAuthorizer,
  HttpLambdaResponseType,
} from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { SIGN_IN_PREFIX } from "../../functions/env.ts";
import { CORS } from "../cors.ts";
import type { Route } from "../topology.ts";
import type { SignInSettings } from "./settings.ts";

export type DeclaredHttpApiProps = {
  authorizer: IFunction;
  /** Each function with the routes it answers. */
  routes: readonly { id: string; fn: IFunction; routes: readonly Route[]; people: boolean }[];
  /** Whose tokens open the routes of people, beside the keys. */
  signIn: SignInSettings | undefined;
  /** Whose pages may call it; nobody's when empty. */
  corsOrigins: readonly string[];
};

/** Requests a second over all callers, and the burst above it: what an account's functions can take. */
const THROTTLE = { rateLimit: 100, burstLimit: 200 };

/** Route and outcome of a request; never its path, query, headers or body, which name what is private. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    at: "$context.requestTimeEpoch",
    routeKey: "$context.routeKey",
    status: "$context.status",
    latencyMs: "$context.responseLatency",
    integrationLatencyMs: "$context.integrationLatency",
    integrationError: "$context.integrationErrorMessage",
    authorizerError: "$context.authorizer.error",
    responseBytes: "$context.responseLength",
    ip: "$context.identity.sourceIp",
  }),
);

const corsOf = (origins: readonly string[]): CorsPreflightOptions => ({
  allowOrigins: [...origins],
  allowMethods: CORS.allowMethods.map((method) => CorsHttpMethod[method]),
  allowHeaders: [...CORS.allowHeaders],
  exposeHeaders: [...CORS.exposeHeaders],
  maxAge: Duration.seconds(CORS.maxAgeSec),
});

/** The declared routes behind an authorizer that identifies the caller on every request. */
export class DeclaredHttpApi extends Construct {
  readonly api: HttpApi;

  constructor(scope: Construct, id: string, props: DeclaredHttpApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, "Api", {
      apiName: "mythos",
      createDefaultStage: false,
      // The gateway answers preflights by itself, before any authorizer, and adds the headers to errors of its own.
      ...(props.corsOrigins.length > 0 && { corsPreflight: corsOf(props.corsOrigins) }),
    });
    // A changed logical id would give the API a new address.
    (this.api.node.defaultChild as CfnApi).overrideLogicalId("HttpApi");
    const logGroup = new LogGroup(this, "AccessLog", {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const stage = new HttpStage(this, "Stage", {
      httpApi: this.api,
      stageName: "$default",
      autoDeploy: true,
      throttle: THROTTLE,
      accessLogSettings: { destination: new LogGroupLogDestination(logGroup), format: ACCESS_LOG },
    });
    const authorizer = new HttpLambdaAuthorizer("Identify", props.authorizer, {
      responseTypes: [HttpLambdaResponseType.SIMPLE],
      // A key comes in one of two headers, and a named source would be required in every request; a cached
      // answer would let a revoked key live on.
      identitySource: [],
      resultsCacheTtl: Duration.seconds(0),
    });
    const { signIn } = props;
    const signedIn =
      signIn && new HttpJwtAuthorizer("SignIn", signIn.issuer, { jwtAudience: [...signIn.audience] });
    for (const { id: name, fn, routes, people } of props.routes) {
      const integration = new HttpLambdaIntegration(`${name}Integration`, fn, {
        payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
        // One permission a function: one a route would outgrow the 20 KB of a function's policy.
        scopePermissionToRoute: false,
      });
      for (const route of routes) {
        this.api.addRoutes({
          path: route.path,
          methods: [HttpMethod[route.method]],
          integration,
          ...(route.auth === "key" && { authorizer }),
        });
        // A route has one authorizer: the same by token is a route of its own.
        if (!people || !signedIn || route.auth !== "key") continue;
        this.api.addRoutes({
          path: `${SIGN_IN_PREFIX}${route.path}`,
          methods: [HttpMethod[route.method]],
          integration,
          authorizer: signedIn,
        });
      }
    }
    new CfnOutput(this, "Url", { value: stage.url }).overrideLogicalId("ApiUrl");
  }
}
