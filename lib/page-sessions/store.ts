import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  UpdateCommand,
  type DynamoDBDocumentClient,
} from "@aws-sdk/lib-dynamodb";
import { updateExpressions } from "../core/conditional-write.ts";
import { CONTROL, CONTROL_ROWS, TTL_ATTRIBUTE } from "../core/keys.ts";
import { conditional, storage } from "../core/storage-error.ts";
import { KEPT_MS, type PageSession, type SignInLink } from "./page-session.ts";

/** Who is signed in to the pages, and by which links one may be. Rows are named by digests: the table holds no secret. */
export function createPageSessionStore(doc: DynamoDBDocumentClient, tables: { control: string }) {
  const TableName = tables.control;
  const keyOf = (kind: "SESSION" | "LINK", digest: string) => ({
    [CONTROL.key]: `${CONTROL_ROWS.page}${digest}`,
    [CONTROL.sort]: kind,
  });
  const read = async (kind: "SESSION" | "LINK", digest: string) => {
    const { Item } = await storage(`pages.read ${kind}`, () =>
      doc.send(new GetCommand({ TableName, Key: keyOf(kind, digest), ConsistentRead: true })),
    );
    return Item;
  };
  const put = (kind: "SESSION" | "LINK", digest: string, row: PageSession | SignInLink) =>
    storage(`pages.put ${kind}`, () =>
      doc.send(
        new PutCommand({
          TableName,
          Item: {
            ...row,
            ...keyOf(kind, digest),
            [TTL_ATTRIBUTE]: Math.ceil((row.expiresAt + KEPT_MS) / 1000),
          },
        }),
      ),
    );

  return {
    putLink: (digest: string, link: SignInLink) => put("LINK", digest, link),
    readLink: (digest: string) => read("LINK", digest) as Promise<SignInLink | undefined>,
    /** Uses a link up for one session; again for the same session it is true again, for any other false. */
    async takeLink(digest: string, sessionDigest: string): Promise<boolean> {
      const taken = await conditional("pages.takeLink", () =>
        doc.send(
          new UpdateCommand({
            TableName,
            Key: keyOf("LINK", digest),
            ...updateExpressions({
              name: "take link",
              set: { takenBy: sessionDigest },
              when: [
                { path: CONTROL.key, is: "exists" },
                { path: "takenBy", is: "absent" },
              ],
            }),
          }),
        ),
      );
      return taken || (await read("LINK", digest))?.["takenBy"] === sessionDigest;
    },
    putSession: (digest: string, session: PageSession) => put("SESSION", digest, session),
    readSession: (digest: string) => read("SESSION", digest) as Promise<PageSession | undefined>,
    async removeSession(digest: string): Promise<void> {
      await storage("pages.removeSession", () =>
        doc.send(new DeleteCommand({ TableName, Key: keyOf("SESSION", digest) })),
      );
    },
  };
}
export type PageSessionStore = ReturnType<typeof createPageSessionStore>;
