import { recordPass } from "../lib/passes/record.ts";
import { createPassStore } from "../lib/passes/store.ts";
import type { PassReport } from "../lib/runs/pass-report.ts";
import { ENV } from "./env.ts";
import { errorFields } from "./middleware/log.ts";
import type { Wiring } from "./wiring.ts";

export type PassRecorder = (round: string, report: PassReport) => Promise<void>;

export const passesOf = ({ doc, env }: Wiring) => createPassStore(doc, { control: env(ENV.controlTable) });

/** Keeps reports. What a round did stands, whether or not its report could be kept. */
export function passRecorderOf(wiring: Wiring): PassRecorder {
  const deps = { passes: passesOf(wiring), clock: wiring.clock, ids: wiring.ids };
  return async (round, report) => {
    try {
      await recordPass(deps, round, report);
    } catch (error) {
      wiring.log.warn("pass report not kept", { round, ...errorFields(error) });
    }
  };
}
