import * as fc from "fast-check";
import type { OpenApiDocument, Operation } from "../../infra/openapi/document.ts";
import type { Request } from "../e2e/client.ts";

/** A request of one route, and the route. */
export type Generated = Request & { route: string };

type Schema = { [member: string]: unknown };

const ODD_TEXTS = [
  "",
  " ",
  "null",
  "__proto__",
  "constructor",
  "../..",
  "%00",
  "\u0000",
  "\u202e",
  "\ud800",
  "🙂",
  "é".repeat(300),
  "x".repeat(5000),
  "-1",
  "1e309",
  "99999999999999999999",
  "RUN#x",
  "a'--",
];
const oddText = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: "binary", maxLength: 40 }));
const oddNumber = fc.constantFrom(0, -1, 1.5, 2 ** 31, Number.MAX_SAFE_INTEGER, 1e308, -1e308, 5e-324);
const garbage: fc.Arbitrary<unknown> = fc.oneof(oddText, oddNumber, fc.jsonValue({ maxDepth: 3 }));

/** Requests of every route of the document: valid, nearly valid and garbage, in the named owner's ids and others'. */
export function generatedRequests(
  { paths }: OpenApiDocument,
  { ids, keys }: { ids: readonly string[]; keys: readonly string[] },
): fc.Arbitrary<Generated> {
  const text = fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: oddText });
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      requestOf({ method: method.toUpperCase(), path, operation, text, keys }),
    ),
  );
  return fc.oneof(...routes);
}

type Target = {
  method: string;
  path: string;
  operation: Operation;
  text: fc.Arbitrary<string>;
  keys: readonly string[];
};

function requestOf({ method, path, operation, text, keys }: Target): fc.Arbitrary<Generated> {
  const { parameters, requestBody } = operation;
  const values = fc.tuple(
    ...parameters.map(({ required, schema }) => {
      const value = fc.oneof(
        { weight: 3, arbitrary: valid(schema, text).map(String) },
        { weight: 1, arbitrary: oddText },
      );
      return required ? value : fc.option(value, { nil: undefined, freq: 2 });
    }),
  );
  const schema = requestBody?.content["application/json"].schema;
  const body = schema ? bodyOf(schema, text) : fc.constant(undefined);
  const key = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...keys) },
    { weight: 1, arbitrary: fc.constant("mk_x_y") },
  );
  return fc.tuple(values, body, key).map(([given, body, key]) => {
    let filled = path;
    const query = new URLSearchParams();
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    parameters.forEach((parameter, at) => {
      const value = given[at];
      if (value === undefined) return;
      if (parameter.in === "path") filled = filled.replace(`{${parameter.name}}`, () => inPath(value));
      if (parameter.in === "query") query.set(parameter.name, value);
      // What HTTP cannot carry in a header never comes.
      if (parameter.in === "header") headers[parameter.name] = value.replaceAll(/[^\x20-\x7e]/g, "?").trim();
    });
    const search = query.size > 0 ? `?${query.toString()}` : "";
    return {
      route: `${method} ${path}`,
      method,
      path: filled + search,
      headers,
      ...(body !== undefined && { body }),
    };
  });
}

/** As one segment; dots would be taken for a way up before they are sent. */
const inPath = (value: string): string =>
  encodeURIComponent(value.toWellFormed()).replace(/^\.{1,2}$/, "%2e") || "%20";

const bodyOf = (schema: Schema, text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: valid(schema, text).map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: fc.tuple(valid(schema, text), oddText, garbage).map(spoilt) },
    { weight: 1, arbitrary: garbage.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: oddText },
  );

/** Nearly valid: one member is garbage, or one more is there. */
function spoilt([value, name, member]: [unknown, string, unknown]): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(member);
  const names = Object.keys(value);
  const place = names[name.length % (names.length + 1)] ?? name;
  return JSON.stringify({ ...value, [place]: member });
}

/** Values of a schema as zod writes it; patterns are met by luck alone. */
function valid(schema: Schema, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { enum: values, const: value, anyOf, oneOf, type } = schema;
  if (value !== undefined) return fc.constant(value);
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
  const forms = (anyOf ?? oneOf) as Schema[] | undefined;
  if (forms) return fc.oneof(...forms.map((form) => valid(form, text)));
  if (type === "object") return objectOf(schema, text);
  if (type === "array") return fc.array(valid((schema["items"] as Schema) ?? {}, text), { maxLength: 4 });
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") return fc.oneof(fc.integer({ min: 1, max: 100 }), oddNumber);
  if (type === "null") return fc.constant(null);
  if (type === "string") return stringOf(schema, text);
  return garbage;
}

function objectOf(schema: Schema, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const members = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  if (members.length === 0) return fc.dictionary(oddText, garbage, { maxKeys: 3 });
  const required = (schema["required"] ?? []) as string[];
  return fc.record(Object.fromEntries(members.map(([name, member]) => [name, valid(member, text)])), {
    requiredKeys: required,
  });
}

function stringOf({ pattern }: Schema, text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (typeof pattern !== "string") return text;
  return fc.oneof(text, fc.constantFrom(`sha256:${"0".repeat(64)}`, "7d", "dec_x", '"1"'));
}
