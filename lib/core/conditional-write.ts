/**
 * A write as data: what it changes and under which named clauses. Stores turn it into one UpdateItem; the
 * protocol's writes are built as such values, so that each can be read, listed and tested without a store.
 */
export type ConditionalWrite = {
  /** The write's name in the protocol, such as `L1 lease`. */
  name: string;
  set?: Record<string, unknown>;
  /** Set only where the attribute is absent. */
  setOnce?: Record<string, unknown>;
  remove?: readonly string[];
  /** Numbers are added to; sets gain members. */
  add?: Record<string, number | ReadonlySet<string>>;
  /** Sets lose members. */
  drop?: Record<string, ReadonlySet<string>>;
  /** All must hold. */
  when: readonly Clause[];
};

export type Clause =
  | { path: string; is: "=" | "<>" | "<" | "<="; value: string | number | boolean }
  | { path: string; is: "exists" | "absent" }
  /** For sets and lists. */
  | { path: string; is: "contains" | "lacks"; value: string }
  /** True too when the attribute is absent. */
  | { path: string; is: "size<"; value: number }
  | { path: string; is: "size>="; value: number }
  | { path: string; is: "in"; values: readonly (string | number)[] }
  | { any: readonly (readonly Clause[])[] };

/** The parts of an UpdateItem request, or of a Put's condition. */
export type Expressions = {
  UpdateExpression?: string;
  ConditionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, unknown>;
};

/** The expressions of one conditional update. */
export function updateExpressions(write: ConditionalWrite): Expressions {
  const terms = createTerms();
  const sections: string[] = [];
  const section = (keyword: string, parts: string[]) => {
    if (parts.length > 0) sections.push(`${keyword} ${parts.join(", ")}`);
  };
  const pairs = (entries: Record<string, unknown> | undefined, join: string) =>
    Object.entries(entries ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([path, value]) => `${terms.name(path)}${join}${terms.value(value)}`);
  const once = Object.entries(write.setOnce ?? {}).map(([path, value]) => {
    const name = terms.name(path);
    return `${name} = if_not_exists(${name}, ${terms.value(value)})`;
  });
  section("SET", [...pairs(write.set, " = "), ...once]);
  section(
    "REMOVE",
    (write.remove ?? []).map((path) => terms.name(path)),
  );
  section("ADD", pairs(write.add, " "));
  section("DELETE", pairs(write.drop, " "));
  const condition = conditionOf(write.when, terms);
  return {
    ...(sections.length > 0 && { UpdateExpression: sections.join(" ") }),
    ...(condition && { ConditionExpression: condition }),
    ...terms.collected(),
  };
}

/** The condition alone, for a Put. */
export function conditionExpressions(when: readonly Clause[]): Expressions {
  return updateExpressions({ name: "", when });
}

type Terms = ReturnType<typeof createTerms>;

function createTerms() {
  const names = new Map<string, string>();
  const values: Record<string, unknown> = {};
  let count = 0;
  return {
    name: (path: string) =>
      path
        .split(".")
        .map((segment) => {
          const known = names.get(segment) ?? `#n${names.size}`;
          names.set(segment, known);
          return known;
        })
        .join("."),
    value(value: unknown): string {
      const key = `:v${count++}`;
      values[key] = value;
      return key;
    },
    collected: (): Expressions => ({
      ...(names.size > 0 && {
        ExpressionAttributeNames: Object.fromEntries([...names].map(([segment, key]) => [key, segment])),
      }),
      ...(count > 0 && { ExpressionAttributeValues: values }),
    }),
  };
}

function conditionOf(when: readonly Clause[], terms: Terms): string {
  return when.map((clause) => clauseOf(clause, terms)).join(" AND ");
}

function clauseOf(clause: Clause, terms: Terms): string {
  if ("any" in clause) {
    // AND binds before OR, and DynamoDB refuses parentheses that change nothing.
    const alternatives = clause.any.map((all) => conditionOf(all, terms));
    return alternatives.length > 1 ? `(${alternatives.join(" OR ")})` : (alternatives[0] ?? "");
  }
  const path = terms.name(clause.path);
  switch (clause.is) {
    case "exists":
      return `attribute_exists(${path})`;
    case "absent":
      return `attribute_not_exists(${path})`;
    case "contains":
      return `contains(${path}, ${terms.value(clause.value)})`;
    case "lacks":
      return `(attribute_not_exists(${path}) OR NOT contains(${path}, ${terms.value(clause.value)}))`;
    case "size<":
      return `(attribute_not_exists(${path}) OR size(${path}) < ${terms.value(clause.value)})`;
    case "size>=":
      return `size(${path}) >= ${terms.value(clause.value)}`;
    case "in":
      return `${path} IN (${clause.values.map((value) => terms.value(value)).join(", ")})`;
    default:
      return `${path} ${clause.is} ${terms.value(clause.value)}`;
  }
}
