/** A row of the `due` index: something that happens by itself at a time. */
export type DueRow = ScheduleRow | WakeRow;

/** One schedule of a workflow. Without `nextAt` it has no slot left. */
export type ScheduleRow = {
  kind: "schedule";
  pk: string;
  sk: string;
  owner: string;
  workflowId: string;
  expression: string;
  timeZone: string | null;
  anchorAt: number;
  nextAt?: number;
};

/** A lane that waits for a time. */
export type WakeRow = { kind: "wake"; pk: string; sk: string; lane: string; nextAt: number };

/** The id of a workflow's n-th schedule: principals and dedupe keys name it. */
export const scheduleIdOf = (row: Pick<ScheduleRow, "workflowId" | "sk">): string =>
  `${row.workflowId}.${row.sk}`;
