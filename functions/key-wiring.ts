import { readParameters } from "../lib/api-keys/parameter-adapter.ts";
import { pepperBy, peppersOf, type Peppers, type PepperSource } from "../lib/api-keys/pepper.ts";
import type { Clock } from "../lib/core/clock.ts";
import { MINUTE_MS } from "../lib/core/duration.ts";
import { ENV, optionalEnv, readEnv } from "./env.ts";
import { createSsm } from "./wiring.ts";

/** Looked up again at most this often, when a record names a pepper that is not known yet. */
const RENEW_AFTER_MS = MINUTE_MS;

/**
 * The peppers of this container. From parameters and not from variables that CloudFormation fills: a variable is
 * shown to whoever may look at the function, and a SecureString cannot be resolved into one at all.
 */
export function peppersFrom(read: () => Promise<Peppers>, clock: Clock): PepperSource {
  let known: { peppers: Promise<Peppers>; at: number } | undefined;
  return async (wanted) => {
    const at = clock.now();
    const peppers = await known?.peppers;
    const isOld = known !== undefined && at - known.at >= RENEW_AFTER_MS;
    const isLacking = peppers && wanted !== undefined && !pepperBy(peppers, wanted);
    if (peppers && !(isLacking && isOld)) return peppers;
    const asked = { peppers: read(), at };
    known = asked;
    // A failure is not kept: the next request asks again.
    asked.peppers.catch(() => {
      if (known === asked) known = undefined;
    });
    return asked.peppers;
  };
}

/** The peppers as this function's environment gives or names them. */
export async function readPeppers(): Promise<Peppers> {
  const given = optionalEnv(ENV.keyPepper);
  if (given !== undefined) return peppersOf(given, optionalEnv(ENV.previousKeyPepper));
  const name = readEnv([ENV.keyPepperParameter])[ENV.keyPepperParameter];
  const previous = optionalEnv(ENV.previousKeyPepperParameter);
  const names = previous === undefined ? [name] : [name, previous];
  const values = await readParameters(createSsm(), names);
  return peppersOf(values.get(name) ?? "", previous && values.get(previous));
}
