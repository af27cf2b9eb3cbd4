/** What one pass did; also the answer of the cron route. */
export type PassReport = {
  /** Items that still wait in the lanes that were looked at. */
  pending: number;
  /** Items that schedules put in their lanes. */
  fired: number;
  /** Items that were claimed. */
  started: number;
  /** Items that could not be claimed and were settled instead. */
  failedItems: number;
  /** Decided runs that were rung. */
  resumed: number;
  /** Runs that had gone quiet and got a new epoch. */
  recovered: number;
  /** Runs that nobody had picked up and were rung again. */
  redispatched: number;
  /** Runs that ended because they went quiet too often. */
  exhausted: number;
  /** Holds that outlived their time. */
  expired: number;
  /** Lanes that left `ready`, and slots of schedules that passed without an item, by reason. */
  skipped: Record<string, number>;
  /** Always 0: the code of a pass holds no model. */
  modelCalls: 0;
  ms: number;
};
