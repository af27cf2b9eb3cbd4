import { Document } from "./layout.tsx";
import type { Html } from "./shown.ts";

/** Asks whom a link names whether it is they who come. */
export function SignIn(props: { username: string; token: string; next: string }): Html {
  return (
    <Document title="Sign in">
      <main class="door">
        <p class="brand">Mythos Loops</p>
        <h1>
          Sign in as <bdi>{props.username}</bdi>
        </h1>
        <p>This link works once, for the next minutes.</p>
        <form method="post" action="/steward/sign-in">
          <input type="hidden" name="token" value={props.token} />
          <input type="hidden" name="next" value={props.next} />
          <button type="submit" class="primary" autofocus>
            Sign in
          </button>
        </form>
      </main>
    </Document>
  );
}

/** Says how to come in. */
export function SignedOut({ reason }: { reason: "out" | "late" }): Html {
  return (
    <Document title="Sign in">
      <main class="door">
        <p class="brand">Mythos Loops</p>
        <h1>{reason === "late" ? "This link is no longer good" : "You are signed out"}</h1>
        <p>
          {reason === "late"
            ? "A link signs one person in, once, within fifteen minutes."
            : "People sign in by a link that works once."}{" "}
          Get a new one in a terminal:
        </p>
        <pre>
          <code>npx mythos page</code>
        </pre>
      </main>
    </Document>
  );
}
