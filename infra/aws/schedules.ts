import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";

export type DeclaredSchedule = { id: string; fn: IFunction; everyMin: number };

/** The safety net under the doorbells: a rule for each scheduled function. */
export class Schedules extends Construct {
  readonly rules: readonly Rule[];

  constructor(scope: Construct, id: string, schedules: readonly DeclaredSchedule[], failures: IQueue) {
    super(scope, id);
    this.rules = schedules.map(({ id: name, fn, everyMin }) => {
      const every = Duration.minutes(everyMin);
      return new Rule(this, name, {
        description: `${name} every ${everyMin} min`,
        schedule: Schedule.rate(every),
        // A tick that could not be delivered is not worth keeping past the next one.
        targets: [
          new LambdaFunction(fn, { retryAttempts: 0, maxEventAge: every, deadLetterQueue: failures }),
        ],
      });
    });
  }
}
