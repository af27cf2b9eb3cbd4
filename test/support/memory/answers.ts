/** An error as the SDK throws it: recognised by its name. */
export class EngineError extends Error {
  readonly $metadata = { requestId: "memory" };
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

export const invalid = (message: string) => new EngineError("ValidationException", message);
export const conditionFailed = () =>
  new EngineError("ConditionalCheckFailedException", "The conditional request failed");
export const throttled = () =>
  new EngineError(
    "ProvisionedThroughputExceededException",
    "The level of configured throughput was exceeded",
  );
/** What is left when every attempt of the SDK got no answer. */
export const unanswered = () => new EngineError("TimeoutError", "socket hang up");
