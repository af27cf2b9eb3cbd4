import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { openApiText } from "./document.ts";

/** `npm run openapi`: writes openapi.json anew from the routes. */
writeFileSync(resolve(import.meta.dirname, "../../openapi.json"), await openApiText());
