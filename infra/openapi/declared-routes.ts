import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { HttpHandler } from "../../functions/middleware/http-handler.ts";
import type { Declared } from "../../functions/middleware/route.ts";
import { FUNCTIONS, type FunctionDeclaration, type Route } from "../topology.ts";

/** A route of the topology, with what its handler declares. */
export type DeclaredRoute = Route & Declared & { key: string };

const ROOT = resolve(import.meta.dirname, "../..");

/** Handlers are made to be asked for their routes and never called: any dependency does. */
const ANY_DEPS: unknown = new Proxy(() => ANY_DEPS, { get: () => ANY_DEPS });

/** Every route of the topology. @throws when a handler and the topology do not declare the same routes */
export async function declaredRoutes(): Promise<DeclaredRoute[]> {
  const found: DeclaredRoute[] = [];
  for (const { file, routes } of Object.values<FunctionDeclaration>(FUNCTIONS)) {
    if (!routes) continue;
    const module = (await import(pathToFileURL(resolve(ROOT, file)).href)) as {
      createHandler(deps: unknown): HttpHandler;
    };
    const handled = new Map(Object.entries(module.createHandler(ANY_DEPS).routes));
    for (const route of routes) {
      // Pages are for people and speak no contract.
      if (route.path.startsWith("/steward")) continue;
      const key = `${route.method} ${route.path}`;
      const declared = handled.get(key)?.declared;
      if (!declared) throw new Error(`${file} does not answer ${key}, which the topology names`);
      handled.delete(key);
      found.push({ ...route, ...declared, key });
    }
    if (handled.size > 0) throw new Error(`the topology does not name ${[...handled.keys()].join(", ")}`);
  }
  return found;
}
