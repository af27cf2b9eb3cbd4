import * as z from "zod";
import { ERRORS } from "../../lib/core/errors.ts";
import packageJson from "../../package.json" with { type: "json" };
import { ANSWERS, type RouteAnswer } from "./answers.ts";
import { declaredRoutes, type DeclaredRoute } from "./declared-routes.ts";

type Json = Record<string, unknown>;
export type Operation = Json & {
  parameters: { name: string; in: string; required: boolean; schema: Json; description?: string }[];
  requestBody?: { required: boolean; content: { "application/json": { schema: Json } } };
  responses: Record<string, unknown>;
};
export type OpenApiDocument = Json & { paths: Record<string, Record<string, Operation>> };

/** The contract of the API as OpenAPI 3.1, from the routes as they are declared. @throws for a route that is not told of */
export async function openApiDocument(): Promise<OpenApiDocument> {
  const paths: OpenApiDocument["paths"] = {};
  for (const route of await declaredRoutes()) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Mythos Loops",
      version: packageJson.version,
      description: "Loops for your notes: nothing lands until a person approves it.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An API key" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        internalKey: { type: "apiKey", in: "header", name: "x-internal-key", description: "Of operators" },
      },
      schemas: { Problem: problemSchema(), TextLeftOut: TEXT_LEFT_OUT },
    },
    "x-problem-types": Object.fromEntries(
      Object.entries(ERRORS).map(([code, { httpStatus, title, hint }]) => [
        urnOf(code),
        { code, status: httpStatus, title, hint },
      ]),
    ),
  };
}

/** The document as its file holds it. */
export const openApiText = async (): Promise<string> =>
  `${JSON.stringify(await openApiDocument(), null, 1)}\n`;

const urnOf = (code: string): string => `urn:mythos-loops:error:${code}`;

function operationOf(route: DeclaredRoute): Operation {
  const answer = ANSWERS[route.key];
  if (!answer) throw new Error(`infra/openapi/answers.ts does not tell what ${route.key} answers`);
  return {
    operationId: operationIdOf(route),
    summary: answer.summary,
    security: securityOf(route),
    parameters: parametersOf(route, answer),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: { "application/json": { schema: schemaOf(route.body) } },
      },
    }),
    responses: responsesOf(answer, readsAlone(route, answer)),
  };
}

/** Whether one text of an answer can be asked for alone: of what is read, and of lists by shorter pages. */
const readsAlone = ({ method, auth }: DeclaredRoute, { pages }: RouteAnswer): boolean =>
  method === "GET" && auth === "key" && !pages;

/** `get /api/memos/{id}/versions` is `getApiMemosIdVersions`. */
const operationIdOf = ({ method, path }: DeclaredRoute): string =>
  method.toLowerCase() + path.replaceAll(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase());

/** Either header; the scope beside each, as OpenAPI 3.1 allows. */
function securityOf({ auth, internal, scope }: DeclaredRoute): Json[] {
  if (internal) return [{ internalKey: [] }];
  if (auth === "none") return [];
  const scopes = scope ? [scope] : [];
  return [{ bearer: scopes }, { apiKey: scopes }];
}

function parametersOf(route: DeclaredRoute, answer: RouteAnswer): Operation["parameters"] {
  const { pages, ifMatch } = answer;
  const string = { type: "string" };
  const optional = (place: string, name: string, schema: Json = string) => ({
    name,
    in: place,
    required: false,
    schema,
  });
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: string,
  }));
  const query = Object.entries(route.query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: !(schema as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(schema as z.ZodType),
  }));
  return [
    ...inPath,
    ...query,
    ...(pages
      ? [
          optional("query", "limit", { type: "integer", minimum: 1, maximum: pages }),
          optional("query", "cursor"),
        ]
      : []),
    ...(readsAlone(route, answer)
      ? [
          {
            ...optional("query", "part"),
            description:
              "JSON pointer of one text of the answer; that text is then answered alone, as text/plain",
          },
        ]
      : []),
    ...(ifMatch ? [{ ...optional("header", "If-Match"), required: true }] : []),
    ...(route.repeats ? [optional("header", "Idempotency-Key", { ...string, maxLength: 200 })] : []),
    ...(route.auth === "key" ? [optional("header", "x-mythos-session")] : []),
  ];
}

function responsesOf(
  { statuses = [200], body, pages }: RouteAnswer,
  hasParts: boolean,
): Operation["responses"] {
  const entry = body && schemaOf(body);
  const schema = pages && entry ? pageOf(entry) : entry && hasParts ? withLeftOut(entry) : entry;
  const content = schema && { content: { "application/json": { schema } } };
  return {
    ...Object.fromEntries(statuses.map((status) => [String(status), { description: "Done", ...content }])),
    default: {
      description: "A problem, by its type",
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  };
}

const pageOf = (entry: Json): Json => ({
  type: "object",
  properties: { items: { type: "array", items: entry }, nextCursor: { type: ["string", "null"] } },
  required: ["items", "nextCursor"],
});

/** Texts that were too long for the answer stand there as null, and each with the request that reads it alone. */
const withLeftOut = (schema: Json): Json => ({
  ...schema,
  properties: {
    ...(schema["properties"] as Json | undefined),
    textsLeftOut: { type: "array", items: { $ref: "#/components/schemas/TextLeftOut" } },
  },
});

const TEXT_LEFT_OUT: Json = {
  type: "object",
  properties: { pointer: { type: "string" }, bytes: { type: "integer" }, read: { type: ["string", "null"] } },
  required: ["pointer", "bytes", "read"],
  additionalProperties: true,
};

/** Open to codes of later releases; x-problem-types has those of this one. */
function problemSchema(): Json {
  const string = { type: "string" };
  return {
    type: "object",
    properties: {
      type: { ...string, pattern: `^${urnOf("[a-z_]+")}$` },
      title: string,
      status: { type: "integer" },
      code: string,
      detail: string,
      hint: string,
      requestId: string,
    },
    required: ["type", "title", "status", "code", "detail", "hint", "requestId"],
    additionalProperties: true,
  };
}

function schemaOf(schema: z.ZodType): Json {
  const {
    $schema: _dialect,
    $defs: _definitions,
    ...json
  } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return withoutReferences(json) as Json;
}

/** The one form that names itself is any JSON value; a reference into a part of the document would lead nowhere. */
function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value) return {};
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutReferences(member)]));
}
