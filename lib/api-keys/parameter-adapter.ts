import { GetParametersCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { AppError } from "../core/errors.ts";
import { storage } from "../core/storage-error.ts";

/** Decrypted values of parameters by name, in one call. @throws {AppError} internal naming those that are not there, storage_unavailable */
export async function readParameters(
  ssm: Pick<SSMClient, "send">,
  names: readonly string[],
): Promise<Map<string, string>> {
  const { Parameters = [] } = await storage("read parameters", () =>
    ssm.send(new GetParametersCommand({ Names: [...names], WithDecryption: true })),
  );
  const values = new Map(Parameters.map(({ Name = "", Value = "" }) => [Name, Value]));
  const missing = names.filter((name) => !values.get(name));
  if (missing.length > 0) throw new AppError("internal", `no parameter is named ${missing.join(", ")}`, {});
  return values;
}
