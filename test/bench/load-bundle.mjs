/* Imports one bundle in a process of its own, calls its handler once, and says how long each took. */
const { file, event } = JSON.parse(process.argv[2]);
const startedAt = performance.now();
const { handler } = await import(file);
const loadMs = performance.now() - startedAt;
// Where Lambda would freeze the process, this one ends: timers of a client must not keep it.
const answer = await handler(event, { awsRequestId: "bench", getRemainingTimeInMillis: () => 900_000 });
process.stdout.write(
  `\n${JSON.stringify({ loadMs, callMs: performance.now() - startedAt - loadMs, answer: answer ?? null })}\n`,
  () => process.exit(0),
);
