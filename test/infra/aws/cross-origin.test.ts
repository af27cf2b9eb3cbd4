import { expect, test } from "vitest";
import { CORS } from "../../../infra/cors.ts";
import { resources, synthesise } from "./synthesised.ts";

type Api = { CorsConfiguration?: Record<string, unknown> };
type Route = { RouteKey: string; AuthorizationType?: string };

const apiOf = ({ app }: ReturnType<typeof synthesise>) => [
  ...resources<Api>(app, "AWS::ApiGatewayV2::Api").values(),
];

test("F63: the API is closed to every page of another origin until one is named", () => {
  expect(apiOf(synthesise())).toEqual([
    expect.not.objectContaining({ CorsConfiguration: expect.anything() }),
  ]);
});

test("F63: with origins the gateway itself answers preflights: no route takes OPTIONS, none takes any method", () => {
  const synthesised = synthesise({ corsOrigins: "https://app.example,http://localhost:5173" });
  expect(apiOf(synthesised)).toEqual([
    expect.objectContaining({
      CorsConfiguration: {
        AllowOrigins: ["https://app.example", "http://localhost:5173"],
        AllowMethods: CORS.allowMethods,
        AllowHeaders: CORS.allowHeaders,
        ExposeHeaders: CORS.exposeHeaders,
        MaxAge: CORS.maxAgeSec,
      },
    }),
  ]);
  const routes = [...resources<Route>(synthesised.app, "AWS::ApiGatewayV2::Route").values()];
  const taken = new Set(routes.map(({ RouteKey }) => RouteKey.split(" ")[0]));
  expect([...taken].toSorted()).toEqual([...CORS.allowMethods].toSorted());
});
