import type { Clause, ConditionalWrite } from "../../lib/core/conditional-write.ts";
import type { Command } from "../support/memory/engine.ts";

/** The conditions of the stores, of which one clause may be left out, and every clause that was seen. */
export type Weakening = {
  /** The clause that is left out, by its name; null leaves all in. */
  without: string | null;
  seen: Set<string>;
  /** Every write that was made or refused, by its name. */
  writes: Set<string>;
};

/** Stands between the functions and a store: drops the clause from the writes that state it. */
export function weakenedStore<S extends object>(store: S, weakening: Weakening): S {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        const args = given.map((one) => (isWrite(one) ? weakenedWrite(one, weakening) : one));
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

const isWrite = (given: unknown): given is ConditionalWrite =>
  typeof given === "object" && given !== null && "when" in given && "name" in given;

function weakenedWrite(write: ConditionalWrite, weakening: Weakening): ConditionalWrite {
  weakening.writes.add(write.name);
  const keep = (clause: Clause, within: string): readonly Clause[] => {
    const key = `${write.name}: ${textOf(clause)}${within}`;
    weakening.seen.add(key);
    if (key === weakening.without) return [];
    if (!("any" in clause)) return [clause];
    const any = clause.any.map((all) =>
      all.flatMap((one) => keep(one, all.length > 1 ? ` (in ${all.map(textOf).join(" and ")})` : " (alone)")),
    );
    // An alternative without a clause is always true.
    return any.some((all) => all.length === 0) ? [] : [{ any }];
  };
  return { ...write, when: write.when.flatMap((clause) => keep(clause, "")) };
}

/** A clause by what it looks at; of the values only those that are the same for every run. */
function textOf(clause: Clause): string {
  if ("any" in clause) return `any of ${clause.any.map((all) => all.map(textOf).join(" and ")).join(" | ")}`;
  const { path, is } = clause;
  if (path.endsWith("status") && "value" in clause) return `${path} ${is} ${clause.value}`;
  return `${path} ${is}`;
}

/** The conditions that stores write themselves: puts that must be the first, the memo's compare-and-set. */
export function weakenedCommand(command: Command, weakening: Weakening): Command {
  const { ConditionExpression: condition } = command.input;
  if (condition === undefined) return command;
  const name = nameOf(command);
  if (!name) return command;
  const names = command.input.ExpressionAttributeNames ?? {};
  const all = condition.split(" AND ");
  const kept = all.filter((one, index) => {
    // Of an update only the head's existence is the store's own; the rest came as a write's clauses.
    if (command.constructor.name === "UpdateCommand" && index > 0) return true;
    const key = `${name}: ${one.replace(/#\w+/g, (placeholder) => names[placeholder] ?? placeholder)}`;
    weakening.seen.add(key);
    return key !== weakening.without;
  });
  if (kept.length === all.length) return command;
  const { ConditionExpression: _condition, ...input } = command.input;
  const rest = kept.length > 0 ? { ConditionExpression: kept.join(" AND ") } : {};
  return { constructor: command.constructor, input: { ...input, ...rest } };
}

function nameOf({ constructor, input }: Command): string | undefined {
  const part = String(input.Item?.["part"] ?? input.Key?.["part"] ?? "").split("#")[0];
  if (constructor.name === "UpdateCommand") {
    return input.TableName === "runs" ? "store writeHead" : undefined;
  }
  if (constructor.name !== "PutCommand") return undefined;
  if (input.TableName === "queue") return "E1 put";
  if (input.TableName === "runs") return part === "HEAD" ? "P2 head" : `put ${part}`;
  if (input.TableName === "memos") return part === "CUR" ? "I3 CUR" : "I2 version";
  return undefined;
}
