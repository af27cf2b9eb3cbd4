import { Document } from "./layout.tsx";
import { OwnWords } from "./own-words.tsx";
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
export function SignedOut(props: {
  reason: "out" | "late";
  byIssuer?: boolean;
  next?: string;
  words?: readonly string[];
}): Html {
  const { reason, byIssuer = false, next = "/steward/holds", words = [] } = props;
  return (
    <Document title="Sign in">
      <main class="door">
        <p class="brand">Mythos Loops</p>
        <h1>{reason === "late" ? "This link is no longer good" : "You are signed out"}</h1>
        {byIssuer && (
          <p>
            <a class="button" href={`/steward/sign-in/issuer?next=${encodeURIComponent(next)}`}>
              Sign in with your organisation
            </a>
          </p>
        )}
        <p>
          {reason === "late"
            ? "A link signs one person in, once, within fifteen minutes."
            : `${byIssuer ? "Or by" : "People sign in by"} a link that works once.`}{" "}
          Get a new one in a terminal:
        </p>
        <pre>
          <code>npx mythos page</code>
        </pre>
        <OwnWords words={words} />
      </main>
    </Document>
  );
}

/** Shown to whoever comes back from an issuer: from here on every request is begun by this site. */
export function Arrived({ username, next }: { username: string; next: string }): Html {
  return (
    <Document title="Signed in" goOnTo={next}>
      <main class="door">
        <p class="brand">Mythos Loops</p>
        <h1>
          Signed in as <bdi>{username}</bdi>
        </h1>
        <p>
          <a href={next}>Go on to your holds</a>
        </p>
      </main>
    </Document>
  );
}
