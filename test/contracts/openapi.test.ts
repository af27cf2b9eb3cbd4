import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test, vi } from "vitest";
import { openApiDocument, openApiText } from "../../infra/openapi/document.ts";
import { FUNCTIONS, type FunctionDeclaration } from "../../infra/topology.ts";
import { ERRORS } from "../../lib/core/errors.ts";
import { createHandler } from "../../functions/http-health.ts";
import { testClock } from "../support/clock.ts";
import { headOf } from "./generate-client.ts";
import { httpEvent } from "../support/http-event.ts";

vi.setConfig({ testTimeout: 60_000 });

const checkedIn = readFileSync("openapi.json", "utf8");

test("openapi.json is what the routes declare; npm run openapi writes it anew", async () => {
  expect(checkedIn === (await openApiText()), "run npm run openapi").toBe(true);
});

test("it is valid OpenAPI 3.1, and a document with a fault is not", async () => {
  const document = JSON.parse(checkedIn) as Record<string, unknown>;
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
  const { valid } = await new Validator().validate({
    ...document,
    paths: { "/x": { get: { parameters: 1 } } },
  });
  expect(valid).toBe(false);
});

test("every route of the topology is in it, and nothing else, each with its own operation id", async () => {
  const { paths } = await openApiDocument();
  const told = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operationId,
    })),
  );
  const declared = Object.values<FunctionDeclaration>(FUNCTIONS)
    .flatMap(({ routes }) => routes ?? [])
    // Pages are for people and speak no contract.
    .filter(({ path }) => !path.startsWith("/steward"));
  expect(told.map(({ route }) => route).sort()).toEqual(
    declared.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  expect(new Set(told.map(({ operationId }) => operationId)).size).toBe(told.length);
});

test("every code that an answer may have is a problem type in it", async () => {
  const types = (await openApiDocument())["x-problem-types"];
  expect(Object.keys(types as object)).toEqual(
    Object.keys(ERRORS).map((code) => `urn:mythos-loops:error:${code}`),
  );
});

test("the types of the generated client are those of this document", () => {
  const types = readFileSync("test/contracts/openapi-types.d.ts", "utf8");
  expect(types.startsWith(headOf(checkedIn)), "run npm run openapi:client").toBe(true);
});

test("GET /openapi.json answers it without a key", async () => {
  const answer = await createHandler({ clock: testClock() })(httpEvent({ route: "GET /openapi.json" }));
  expect(answer.statusCode).toBe(200);
  expect(JSON.parse(answer.body)).toEqual(JSON.parse(checkedIn));
});
