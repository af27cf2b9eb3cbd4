import { dirname } from "node:path";
import { Code } from "aws-cdk-lib/aws-lambda";
import type { Bundle } from "../bundle.ts";
import type { FunctionName } from "../topology.ts";

/** Where a function's code is, and the handler inside it; tests give code that was never built. */
export type HandlerCode = (name: FunctionName) => { code: Code; handler: string };

/** The code of bundles that were built before: synthesis itself waits for nothing. */
export const bundledCode =
  (bundles: Record<FunctionName, Bundle>): HandlerCode =>
  (name) => ({ code: Code.fromAsset(dirname(bundles[name].file)), handler: "index.handler" });
