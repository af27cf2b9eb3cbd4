import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { listedToolsText } from "./agent-tools.ts";
import { openApiText } from "./document.ts";

/** `npm run openapi`: writes openapi.json anew from the routes, and the list of agents' tools from theirs. */
writeFileSync(resolve(import.meta.dirname, "../../openapi.json"), await openApiText());
writeFileSync(resolve(import.meta.dirname, "../../lib/agent-tools/listed-tools.json"), listedToolsText());
