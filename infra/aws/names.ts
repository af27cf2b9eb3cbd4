/** Construct id of a declared name: `httpRuns` is `HttpRuns`. */
export const logicalName = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);
