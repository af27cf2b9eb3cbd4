/** What a route answered, its body read as JSON when it is some. */
export type Called = { status: number; body: unknown };

/** Calls a route of the running host with a key; a refusal is an answer, only a connection that fails throws. */
export async function callApi(
  host: { url: string; key: string },
  method: "GET" | "POST",
  path: string,
  options: { body?: unknown; sessionId?: string } = {},
): Promise<Called> {
  const response = await fetch(`${host.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${host.key}`,
      ...(options.body !== undefined && { "content-type": "application/json" }),
      ...(options.sessionId && { "x-mythos-session": options.sessionId }),
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return { status: response.status, body: parsed(text) };
}

/** The body of a call that must succeed. @throws with the route, the status and what the answer says */
export async function callOrThrow(...call: Parameters<typeof callApi>): Promise<Record<string, unknown>> {
  const { status, body } = await callApi(...call);
  const answer = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  if (status >= 200 && status < 300) return answer;
  const said = answer["detail"] ?? answer["message"] ?? (typeof body === "string" ? body : "");
  throw new Error(`${call[1]} ${call[2]} answered ${status}: ${String(said)}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
