import { setTimeout as sleep } from "node:timers/promises";

/** Between two questions to a host; the only waiting of the command line. */
export const pause = (ms: number): Promise<void> => sleep(ms);
