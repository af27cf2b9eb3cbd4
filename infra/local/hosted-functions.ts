import { bundleEntries, bundleFunctions, type Bundle } from "../bundle.ts";
import { FUNCTIONS, type FunctionDeclaration, type FunctionName } from "../topology.ts";
import { functionEnvironment } from "./functions/function-environment.ts";
import type { HostedFunction } from "./functions/function-host.ts";

type Declared = Readonly<Record<string, FunctionDeclaration>>;

/** Copies of one function on a laptop, whatever AWS would allow; each is a thread. */
const MAX_INSTANCES = 4;

/** The bundle of each declared function; those of the topology are shared with the synthesis. */
export async function bundleDeclared(declared: Declared, outDir: string): Promise<Record<string, string>> {
  const names = Object.keys(declared);
  const known = names.filter((name) => isOfTopology(declared, name)) as FunctionName[];
  const others = names.filter((name) => !isOfTopology(declared, name));
  const bundles: Record<string, Bundle> = {
    ...(await bundleFunctions(known)),
    ...(await bundleEntries(
      others.map((name) => ({ name, file: declared[name]!.file })),
      outDir,
    )),
  };
  return Object.fromEntries(names.map((name) => [name, bundles[name]!.file]));
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
