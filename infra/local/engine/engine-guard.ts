import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether a request to an embedded engine comes from this host. The engines themselves believe anybody, and
 * one of them answers every web page's preflight: without this a page that finds the port reads the library,
 * and any account of the machine writes decisions. The access key id is made anew at each start.
 */
export function isFromThisHost(headers: IncomingHttpHeaders, accessKeyId: string): boolean {
  if (headers.origin !== undefined) return false;
  return headers.authorization?.includes(`Credential=${accessKeyId}/`) ?? false;
}

/** The operation a request names, as in `DynamoDB_20120810.PutItem`. */
export function operationOf(headers: IncomingHttpHeaders): string {
  return String(headers["x-amz-target"] ?? "").split(".")[1] ?? "";
}
