import type { Context } from "aws-lambda";

/** The second argument of a handler, as Lambda gives it. */
export function lambdaContext(invocation: {
  name: string;
  memoryMb: number;
  requestId: string;
  deadlineMs: number;
}): Context {
  return {
    functionName: invocation.name,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${invocation.name}`,
    memoryLimitInMB: String(invocation.memoryMb),
    awsRequestId: invocation.requestId,
    logGroupName: `/aws/lambda/${invocation.name}`,
    logStreamName: "local",
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, invocation.deadlineMs - Date.now()),
    done: unused,
    fail: unused,
    succeed: unused,
  };
}

function unused(): never {
  throw new Error("answer by returning: the callback style is not served here");
}
