import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { deflateRawSync } from "node:zlib";
import type { OnLoadResult, Plugin } from "esbuild";

/*
 * Parts of packages that no function of ours uses, but that their entry points hold on to. Each is replaced by
 * something that fails loudly, and every bundle is imported and called by a test.
 */

/** Where modules stand that a bundle does without. */
export const LEFT_OUT = "left-out";

const replacing = (
  name: string,
  filter: RegExp,
  contents: (path: string) => string | Promise<string>,
): Plugin => ({
  name,
  setup(build) {
    build.onLoad({ filter }, async ({ path }): Promise<OnLoadResult> => {
      return { contents: await contents(path), resolveDir: dirname(path) };
    });
  },
});

/** Packages that import all of zod bring its messages in fifty languages along: 0.27 MB that nobody reads. */
const englishOnly = replacing(
  "zod-in-english-only",
  /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/,
  () => 'export { default as en } from "./en.js";',
);

/** Schemas are written as JSON Schema when the project is built, never by a function: 18 KB in each. */
const withoutJsonSchemas = replacing(
  "zod-without-json-schemas",
  /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-processors)\.js$/,
  (path) => {
    const names = [...readFileSync(path, "utf8").matchAll(/^export (?:const|function) (\w+)/gm)].map(
      ([, name]) => name,
    );
    const processors = names.map((name) =>
      // These two make the method that each schema has.
      name?.startsWith("create")
        ? `export const ${name} = () => leftOut;`
        : `export const ${name} = leftOut;`,
    );
    const leftOut = 'const leftOut = () => { throw new Error("JSON Schemas are left out of this bundle"); };';
    return [leftOut, ...processors, "export { leftOut as process };"].join("\n");
  },
);

/**
 * Lambda and the local host give credentials as variables, and nothing else. The SDK's own chain would bring
 * sign-in pages, profiles, metadata services and three more clients along: 0.1 MB in every function.
 */
const credentialsOfEnvironment = replacing(
  "credentials-of-environment",
  /[\\/]@aws-sdk[\\/]credential-provider-node[\\/]dist-es[\\/]index\.js$/,
  () => 'export { fromEnv as defaultProvider } from "@aws-sdk/credential-provider-env";',
);

/**
 * No DynamoDB or SQS call answers with a stream of events, which the SDK loads by itself where one does: 15 KB in
 * every function. A provider of models imports the same code by name, and keeps it.
 */
const withoutEventStreams: Plugin = {
  name: "without-event-streams",
  setup(build) {
    const namespace = LEFT_OUT;
    build.onResolve({ filter: /^@smithy\/core\/event-streams$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, namespace } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace }, () => ({
      contents: 'throw new Error("event streams are left out of this bundle");',
    }));
  },
};

/** Endpoints are not discovered here, so the cache of the discovered ones stays empty: 7 KB in every function. */
const plainEndpointCache = replacing(
  "plain-endpoint-cache",
  /[\\/]mnemonist[\\/]lru-cache\.js$/,
  () => "export default class extends Map { constructor() { super(); } peek(key) { return this.get(key); } }",
);

/** Of its own description a client reads the version alone. */
const versionOnly = replacing(
  "sdk-version-only",
  /[\\/]@aws-sdk[\\/]client-[\w-]+[\\/]package\.json$/,
  (path) => {
    const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
    return `export const version = ${JSON.stringify(version)}; export default { version };`;
  },
);

/** The names of characters are 35 KB, and 13 when packed; a text that has one unpacks them, once. */
const packedCharacterNames = replacing(
  "packed-character-names",
  /[\\/]decode-named-character-reference[\\/]index\.js$/,
  async () => {
    const { characterEntities } = await import("character-entities");
    const packed = deflateRawSync(JSON.stringify(characterEntities), { level: 9 }).toString("base64");
    return `import { inflateRawSync } from "node:zlib";
      let names;
      export function decodeNamedCharacterReference(name) {
        names ??= JSON.parse(inflateRawSync(Buffer.from("${packed}", "base64")).toString());
        return Object.hasOwn(names, name) ? names[name] : false;
      }`;
  },
);

/** The tools of agents check what they are given by their own schemas: the SDK's validator is 0.12 MB beside them. */
const withoutMcpValidator = replacing(
  "without-mcp-validator",
  /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/,
  () =>
    'export { default as process } from "node:process"; export class DefaultJsonSchemaValidator { getValidator() { throw new Error("the validator is left out of this bundle"); } }',
);

/** What every bundle is built with. */
export const TRIMS: Plugin[] = [
  englishOnly,
  withoutJsonSchemas,
  credentialsOfEnvironment,
  withoutEventStreams,
  plainEndpointCache,
  versionOnly,
  packedCharacterNames,
  withoutMcpValidator,
];
