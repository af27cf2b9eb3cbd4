import listed from "./listed-tools.json" with { type: "json" };

/** A tool as it is listed: its schemas are written when the project is built, by `npm run openapi`. */
export type ListedTool = {
  name: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  outputSchema: { type: "object"; [keyword: string]: unknown };
  annotations: Record<string, boolean>;
};

export const LISTED_TOOLS = listed as unknown as readonly ListedTool[];
