import { STUCK_RUN_MS } from "../../lib/runs/recover.ts";
import { MINUTE_MS, SECOND_MS } from "../../lib/core/duration.ts";
import { runTicket } from "../../lib/runs/execute.ts";
import { ACTORS, isExpected, type ActorName } from "./actors.ts";
import { endFaults } from "./end-state.ts";
import { fatesOf, settled } from "./scheduler.ts";
import { isWrite } from "../support/memory/engine.ts";
import { createWorld, type Around, type World } from "./world.ts";

const MAX_MOVES = 6000;
/** The weight of a process that sleeps before its write; a new weight wakes it. */
const DROWSY = 0.003;
const MAX_RUNNERS = 3;
/** Rounds without a write after which a world with nothing left to do is quiet. */
const QUIET_ROUNDS = 3;
/** Most rounds: the sweep looks at one lane a tick, and it may take a while until it comes by. */
const MAX_ROUNDS = 300;

export type Played = { seed: number; faults: string[]; trace: readonly string[]; world: World };

/** Plays one seed to its end. The same seed plays the same, move for move. */
export async function play(seed: number, around?: Around): Promise<Played> {
  const world = await createWorld(seed, around);
  const { watch } = world;
  const found = () => [...watch.faults];
  const ended = (faults: string[]): Played => ({ seed, faults, trace: watch.trace, world });
  try {
    await chaos(world);
    if (found().length > 0) return ended(found());
    // Some that were paused sleep on until all is over, and wake then.
    const sleepers = world.scheduler.alive().filter(() => world.random.chance(0.3));
    await finish(world, new Set(sleepers.map(({ name }) => name)));
    await untilQuiet(world);
    await drain(world);
    const early = endFaults(world);
    if (found().length + early.length > 0) return ended([...found(), ...early]);
    await finish(world, new Set());
    await untilQuiet(world);
    await drain(world);
    return ended([...found(), ...endFaults(world), ...(await idleFaults(world))]);
  } catch (error) {
    return ended([...found(), `${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Everybody at once, with whatever may go wrong going wrong. */
async function chaos(world: World): Promise<void> {
  const { random, scheduler, engine, clock, watch } = world;
  const budget: Record<ActorName, number> = {
    enqueuer: 1 + random.below(3),
    passes: 2 + random.below(5),
    resumes: random.below(3),
    recovers: random.below(5),
    decides: 2 + random.below(6),
    cancels: random.chance(0.4) ? 1 + random.below(2) : 0,
    edits: random.chance(0.5) ? 1 + random.below(3) : 0,
    runs: 6 + random.below(10),
  };
  // Not every world has every trouble, so that each is also seen alone.
  let troubles = random.chance(0.8) ? random.below(7) : 0;
  let leaps = random.below(5);
  const sleepRate = random.chance(0.8) ? random.unit() * 0.3 : 0;
  const troubleRate = 0.01 + random.unit() * 0.08;
  if (random.chance(0.4)) engine.setLag(true);
  let born = 0;
  for (let move = 0; move < MAX_MOVES; move++) {
    if (watch.faults.length > 0) return;
    const moving = scheduler.alive().filter(({ calls }) => calls.length > 0);
    const names = (Object.keys(budget) as ActorName[]).filter((name) => {
      if (name !== "runs") return budget[name] > 0;
      const runners = moving.filter((process) => process.name.startsWith("runs"));
      return budget.runs > 0 && world.bells.length > 0 && runners.length < MAX_RUNNERS;
    });
    if (moving.length === 0 && names.length === 0) return;
    if (names.length > 0 && (moving.length === 0 || random.chance(0.1))) {
      const name = random.pick(names);
      // Often two at once, who then look at the same rows.
      for (let count = random.chance(0.3) ? 2 : 1; count > 0 && budget[name] > 0; count--) {
        budget[name]--;
        scheduler.spawn(`${name}${++born}`, 0.05 + random.unit(), (process) => ACTORS[name](world, process));
      }
      await settled();
      continue;
    }
    if (random.chance(0.03)) random.pick(moving).weight = 0.01 + random.unit();
    if (random.chance(0.05)) engine.catchUp(1 + random.below(4));
    if (random.chance(0.02)) clock.advance(random.below(40) * SECOND_MS);
    if (leaps > 0 && random.chance(0.02)) {
      leaps--;
      clock.advance(STUCK_RUN_MS + 1 + random.below(5) * MINUTE_MS);
    }
    if (random.chance(0.03)) world.bells.splice(random.below(world.bells.length + 1), 1);
    const process = chosen(world, moving);
    if (process.beats.size > 0 && random.chance(0.2)) {
      random.pick([...process.beats])();
      await settled();
      continue;
    }
    const call = random.pick(process.calls);
    // Right before its write it falls asleep, so that what it has read grows old.
    if (call.command && isWrite(call.command) && process.weight > DROWSY && random.chance(sleepRate)) {
      process.weight = DROWSY;
      continue;
    }
    const isTroubled = troubles > 0 && random.chance(troubleRate);
    if (isTroubled) troubles--;
    await scheduler.advance(process, call, isTroubled ? random.pick(fatesOf(call)) : "answered");
  }
  throw new Error("the processes do not come to an end");
}

function chosen<P extends { weight: number }>({ random }: World, processes: readonly P[]): P {
  let left = random.unit() * processes.reduce((sum, { weight }) => sum + weight, 0);
  return processes.find(({ weight }) => (left -= weight) <= 0) ?? processes.at(-1)!;
}

/** Lets whoever is under way come to an end, in any order, with nothing going wrong any more. */
async function finish(world: World, sleeping: ReadonlySet<string>): Promise<void> {
  const { random, scheduler, engine } = world;
  engine.setLag(false);
  for (;;) {
    const moving = scheduler.alive().filter(({ name, calls }) => calls.length > 0 && !sleeping.has(name));
    if (moving.length === 0) break;
    const process = random.pick(moving);
    await scheduler.advance(process, random.pick(process.calls), "answered");
  }
  for (const { name, failure } of scheduler.failures()) {
    if (!isExpected(failure)) throw new Error(`${name} failed: ${stackOf(failure)}`);
  }
}

const stackOf = (failure: unknown): string =>
  failure instanceof Error
    ? (failure.stack ?? failure.message).split("\n").slice(0, 4).join(" ")
    : String(failure);

/** The five-minute rules, and every bell, until nothing is written and nothing is left to do. */
async function untilQuiet(world: World): Promise<void> {
  const { clock, watch } = world;
  let still = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = watch.counts.writes;
    clock.advance(STUCK_RUN_MS + 1);
    await tick(world);
    if (watch.faults.length > 0) return;
    still = watch.counts.writes === before ? still + 1 : 0;
    if (still >= QUIET_ROUNDS && isWorkDone(world)) return;
  }
  if (still < QUIET_ROUNDS) throw new Error(`the world is not quiet after ${MAX_ROUNDS} rounds`);
}

const isWorkDone = ({ engine }: World): boolean =>
  engine.rows("queue").every(({ status }) => status !== "pending") &&
  engine.rows("lanes").every(({ inFlight }) => inFlight === undefined) &&
  engine.rows("runs").every(({ activeShard }) => activeShard === undefined);

async function tick(world: World): Promise<void> {
  const { scheduler, bells } = world;
  for (const name of ["resumes", "passes", "recovers"] as const) {
    await scheduler.alone(`quiet-${name}`, (process) => ACTORS[name](world, process));
  }
  for (let bell = bells.shift(); bell; bell = bells.shift()) {
    const ticket = bell;
    await scheduler.alone("quiet-runs", async (process) => {
      await runTicket(world.container(process).runner, ticket);
    });
  }
  for (const { name, failure } of scheduler.failures()) {
    if (name.startsWith("quiet") && !isExpected(failure))
      throw new Error(`${name} failed: ${stackOf(failure)}`);
  }
}

/** Holds that are left are decided, or outlive their time, until there are none. */
async function drain(world: World): Promise<void> {
  const { engine, scheduler, random, clock } = world;
  const isHeld = () => engine.rows("runs").some((row) => row["status"] === "suspended");
  for (let round = 0; round < 12 && isHeld(); round++) {
    if (random.chance(0.15)) clock.advance(8 * 24 * 60 * MINUTE_MS);
    else await scheduler.alone(`drain${round}-decides`, (process) => ACTORS.decides(world, process));
    await untilQuiet(world);
  }
  for (let round = 0; round < 4 && isHeld(); round++) {
    clock.advance(400 * 24 * 60 * MINUTE_MS);
    await untilQuiet(world);
  }
}

/** With nothing to do the rules write nothing, ring nobody and ask no model. */
async function idleFaults(world: World): Promise<string[]> {
  const { watch, bells } = world;
  const before = { ...watch.counts };
  for (let round = 0; round < 3; round++) await tick(world);
  if (watch.counts.writes !== before.writes) return ["an idle tick writes"];
  if (watch.counts.calls !== before.calls) return ["an idle tick asks a model"];
  return bells.length > 0 ? ["an idle tick rings"] : [];
}
