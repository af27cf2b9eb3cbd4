/**
 * Does the work for each element, at most `parallel` at a time; the results in the order of the elements. After
 * a failure nothing more is started, what runs is waited for, and the first failure is thrown: no work goes on
 * behind the caller's back.
 */
export async function inParallel<T, R>(
  elements: readonly T[],
  parallel: number,
  work: (element: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failure: { error: unknown } | undefined;
  const worker = async () => {
    while (next < elements.length && !failure) {
      const index = next++;
      try {
        results[index] = await work(elements[index] as T, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, elements.length) }, worker));
  if (failure) throw failure.error;
  return results;
}
