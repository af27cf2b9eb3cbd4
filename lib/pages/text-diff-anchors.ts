/** A line of the one text and its like in the other, by their places. */
export type Anchor = readonly [before: number, after: number];

/**
 * Lines that surely stayed where they are: the same ones at both ends, and between them those that stand once in
 * each text, as many as keep their order. Its time grows with the length of the texts and not with what differs.
 */
export function anchorsOf(old: readonly string[], now: readonly string[]): Anchor[] {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const head = Array.from({ length: start }, (_, at) => [at, at] as const);
  const tail = Array.from(
    { length: end },
    (_, at) => [old.length - end + at, now.length - end + at] as const,
  );
  return [...head, ...inOrder(onceInBoth(old, now, { start, end })), ...tail];
}

/** Lines that stand once in either text, by their place in the first. */
function onceInBoth(
  old: readonly string[],
  now: readonly string[],
  { start, end }: { start: number; end: number },
): Anchor[] {
  const [before, after] = [old, now].map((lines) => {
    const places = new Map<string, number>();
    for (let at = start; at < lines.length - end; at++) {
      places.set(lines[at]!, places.has(lines[at]!) ? -1 : at);
    }
    return places;
  }) as [Map<string, number>, Map<string, number>];
  return [...before].flatMap(([line, at]): Anchor[] => {
    const other = after.get(line) ?? -1;
    return at >= 0 && other >= 0 ? [[at, other]] : [];
  });
}

/** The longest run of these whose second places rise as well. */
function inOrder(anchors: readonly Anchor[]): Anchor[] {
  /** For each length the anchor that ends a run of it lowest. */
  const ends: number[] = [];
  const cameFrom = new Int32Array(anchors.length);
  for (const [at, [, after]] of anchors.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (anchors[ends[middle]!]![1] < after) low = middle + 1;
      else high = middle;
    }
    cameFrom[at] = low === 0 ? -1 : ends[low - 1]!;
    ends[low] = at;
  }
  const run: Anchor[] = [];
  for (let at = ends.at(-1) ?? -1; at >= 0; at = cameFrom[at]!) run.push(anchors[at]!);
  return run.toReversed();
}
