import { join } from "node:path";
import { bundleFile, bundleFunctions } from "../bundle.ts";
import { FUNCTIONS, type FunctionDeclaration, type FunctionName } from "../topology.ts";
import { functionEnvironment } from "./functions/function-environment.ts";
import type { HostedFunction } from "./functions/function-host.ts";

type Declared = Readonly<Record<string, FunctionDeclaration>>;

/** Copies of one function on a laptop, whatever AWS would allow; each is a thread. */
const MAX_INSTANCES = 4;

/** The bundle of each declared function; those of the topology are shared with the synthesis. */
export async function bundleDeclared(declared: Declared, outDir: string): Promise<Record<string, string>> {
  const known = Object.keys(declared).filter((name) => isOfTopology(declared, name)) as FunctionName[];
  const others = Object.keys(declared).filter((name) => !isOfTopology(declared, name));
  const bundles = {
    ...(await bundleFunctions(known)),
    ...Object.fromEntries(
      await Promise.all(
        others.map(
          async (name) => [name, await bundleFile(declared[name]!.file, join(outDir, name))] as const,
        ),
      ),
    ),
  };
  return Object.fromEntries(Object.entries(bundles).map(([name, bundle]) => [name, bundle.file]));
}

const isOfTopology = (declared: Declared, name: string): boolean =>
  name in FUNCTIONS && FUNCTIONS[name as FunctionName] === declared[name];

/** What the function host runs, made of what the topology declares. */
export function hostedFunctions(
  declared: Declared,
  files: Readonly<Record<string, string>>,
  values: Parameters<typeof functionEnvironment>[2],
): Record<string, HostedFunction> {
  return Object.fromEntries(
    Object.entries(declared).map(([name, declaration]) => [
      name,
      {
        file: files[name]!,
        timeoutMs: declaration.timeoutSec * 1000,
        memoryMb: declaration.memoryMb,
        maxInstances: instancesOf(declaration),
        env: functionEnvironment(name, declaration, values),
      },
    ]),
  );
}

/** Two of one schedule never run at once; a queue's function runs as often as its poller calls it. */
export function instancesOf({ schedule, queue }: FunctionDeclaration): number {
  if (schedule) return 1;
  return Math.min(queue?.maxConcurrency ?? MAX_INSTANCES, MAX_INSTANCES);
}
