import { expect, test } from "vitest";
import { ENV } from "../../../functions/env.ts";
import { FUNCTIONS, type FunctionDeclaration } from "../../../infra/topology.ts";
import { functions, resources, spell, synthesise } from "./synthesised.ts";

const DECLARED = Object.values<FunctionDeclaration>(FUNCTIONS);
const context = {
  jwtIssuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_x",
  jwtAudience: "client-a,client-b",
  jwtOwnerUid: "house",
};
const synthesised = synthesise(context);
const { app } = synthesised;

type Route = { RouteKey: string; AuthorizationType: string; AuthorizerId?: unknown; Target: unknown };

test("with an issuer the routes of people are there a second time, behind its tokens; those by key stay", () => {
  const authorizers = resources<Record<string, unknown>>(app, "AWS::ApiGatewayV2::Authorizer");
  const jwt = [...authorizers].filter(([, { AuthorizerType }]) => AuthorizerType === "JWT");
  expect(
    jwt.map(([, { JwtConfiguration, IdentitySource }]) => ({ JwtConfiguration, IdentitySource })),
  ).toEqual([
    {
      JwtConfiguration: { Issuer: context.jwtIssuer, Audience: ["client-a", "client-b"] },
      IdentitySource: ["$request.header.Authorization"],
    },
  ]);
  const routes = [...resources<Route>(app, "AWS::ApiGatewayV2::Route").values()];
  const byToken = routes.filter(({ AuthorizationType }) => AuthorizationType === "JWT");
  const declared = DECLARED.filter(({ people }) => people).flatMap(({ routes: own }) =>
    (own ?? []).filter(({ auth }) => auth === "key").map(({ method, path }) => `${method} /steward${path}`),
  );
  expect(byToken.map(({ RouteKey }) => RouteKey).toSorted()).toEqual(declared.toSorted());
  expect(byToken.every(({ AuthorizerId }) => spell(synthesised, AuthorizerId) === jwt[0]![0])).toBe(true);
  const byKey = (each: typeof synthesised) =>
    [...resources<Route>(each.app, "AWS::ApiGatewayV2::Route").values()]
      .filter(({ AuthorizationType }) => AuthorizationType === "CUSTOM")
      .map(({ RouteKey }) => RouteKey)
      .toSorted();
  expect(byKey(synthesised)).toEqual(byKey(synthesise()));
});

test("the functions of people, and no others, are told whose tokens they are", () => {
  const told = functions(synthesised).filter(([, fn]) => fn.Environment?.Variables[ENV.signIn]);
  expect(told.map(([, fn]) => fn.Description).toSorted()).toEqual(
    DECLARED.filter(({ people }) => people)
      .map(({ file }) => file)
      .toSorted(),
  );
  const text = JSON.stringify(told[0]![1].Environment!.Variables[ENV.signIn]);
  expect(text).toContain("AWS::StackId");
  expect(text).toContain("house");
});

test("without an issuer there is neither a second authorizer nor a second route", () => {
  const plain = synthesise();
  expect(resources(plain.app, "AWS::ApiGatewayV2::Authorizer").size).toBe(1);
  expect(JSON.stringify(plain.app.toJSON())).not.toContain("/steward/api");
});
