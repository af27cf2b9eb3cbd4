/** The JSON Schema subset that `Returns json` takes (object, array, enum, number and string limits). */
export type JsonSchema = { readonly [keyword: string]: unknown };
