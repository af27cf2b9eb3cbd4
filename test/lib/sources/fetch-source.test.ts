import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Ticker } from "../../../lib/core/clock.ts";
import { hasCode } from "../../../lib/core/errors.ts";
import { systemResolve, type Resolve } from "../../../lib/sources/fetch-request.ts";
import { createFetchSource } from "../../../lib/sources/fetch-source.ts";
import { isLoopback, isPublicAddress } from "../../../lib/sources/public-address.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server on this machine, its place, and the paths it was asked for. */
async function serve(answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { asked, port, place: `127.0.0.1:${port}` };
}

const plain =
  (text: string): RequestListener =>
  (_request, response) => {
    response.setHeader("content-type", "text/plain");
    response.end(text);
  };

const realTicker: Ticker = (everyMs, work) => {
  const timer = setInterval(work, everyMs);
  return () => clearInterval(timer);
};
const never: Ticker = () => () => undefined;
const context = { ownerUid: "owner", sessionId: null, runId: "run_x", at: 0 };

function reader(hosts: string[], more: { resolve?: Resolve; ticker?: Ticker; timeoutMs?: number } = {}) {
  const source = createFetchSource({ hosts: () => hosts, resolve: systemResolve, ticker: never, ...more });
  return (address: string) => source.read(context, address);
}

/** The code and message that a read ends with. */
async function fault(read: Promise<unknown>): Promise<string> {
  const error = await read.then(
    (texts) => new Error(`it was read: ${JSON.stringify(texts)}`),
    (caught: unknown) => caught as Error,
  );
  if (hasCode(error, "source_refused") || hasCode(error, "source_unavailable")) {
    return `${error.code}: ${error.message}`;
  }
  throw error;
}

test("a listed place on this machine is read; the same place unlisted, or listed without its port, is not", async () => {
  const { asked, place, port } = await serve(plain("hello"));
  expect(await reader([place])(`http://${place}/a`)).toEqual([{ title: `${place}/a`, text: "hello" }]);
  expect(await fault(reader([])(`http://${place}/b`))).toMatch(/^source_refused: .*not under fetch.hosts/);
  expect(await fault(reader(["127.0.0.1"])(`http://${place}/c`))).toMatch(/^source_refused/);
  expect(await fault(reader([`127.0.0.1:${port + 1}`])(`http://${place}/d`))).toMatch(/^source_refused/);
  expect(asked).toEqual(["/a"]);
});

/** Addresses that a name could point to, none of which a listed name may reach. */
const INSIDE = [
  "127.0.0.1",
  "127.8.9.10",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.169.254",
  "168.63.129.16",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "fe80::1",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "2001:0:7f00:1::",
  "2001:db8::1",
];
test.each(INSIDE)("a listed name that resolves to %s is refused before anything is sent", async (address) => {
  const { asked, port } = await serve(plain("inside"));
  const family = address.includes(":") ? 6 : 4;
  const read = reader(["example.org"], { resolve: async () => [{ address, family }] });
  expect(await fault(read("https://example.org/"))).toMatch(/^source_refused: .*no public address/);
  expect(await fault(read(`http://example.org:${port}/`))).toMatch(/^source_refused/);
  expect(asked).toEqual([]);
});

test("a name with one public and one private address is refused whole", async () => {
  const both = [
    { address: "93.184.216.34", family: 4 },
    { address: "10.0.0.1", family: 4 },
  ];
  const read = reader(["example.org"], { resolve: async () => both });
  expect(await fault(read("https://example.org/"))).toMatch(/^source_refused: .*no public address/);
});

test.each(["93.184.216.34", "8.8.8.8", "172.15.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"])(
  "%s is an address of the public internet",
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
    expect(isLoopback(address)).toBe(false);
  },
);

test("the connection goes to the address that was checked: the name is resolved once", async () => {
  const { asked, port } = await serve(plain("checked"));
  let resolved = 0;
  const resolve: Resolve = async () => {
    resolved++;
    return [{ address: "127.0.0.1", family: 4 }];
  };
  // No resolver knows this name, so a second resolution would fail.
  const place = `wiki.invalid:${port}`;
  const texts = await reader([place], { resolve })(`http://${place}/page`);
  expect(texts).toEqual([{ title: `${place}/page`, text: "checked" }]);
  expect(resolved).toBe(1);
  expect(asked).toEqual(["/page"]);
});

test("http is read from this machine alone, also where host and port are listed", async () => {
  const read = reader(["intranet.example:80"], { resolve: async () => [{ address: "10.0.0.5", family: 4 }] });
  expect(await fault(read("http://intranet.example/"))).toMatch(/^source_refused: .*only https/);
  const open = reader(["example.org"], { resolve: async () => [{ address: "93.184.216.34", family: 4 }] });
  expect(await fault(open("http://example.org/"))).toMatch(/^source_refused: .*only https/);
});

test.each([
  ["file:///etc/passwd", "file: is not read"],
  ["ftp://example.org/", "ftp: is not read"],
  ["https://user:secret@example.org/", "must not carry a user name"],
  ["example.org", "this is no address"],
  ["", "this is no address"],
  ["https://example.org.evil.net/", "not under fetch.hosts"],
  ["https://example.org./", "not under fetch.hosts"],
  ["https://sub.example.org/", "not under fetch.hosts"],
  ["https://example.org:8443/", "not under fetch.hosts"],
  ["https://0x7f.1/", "127.0.0.1 is not under fetch.hosts"],
  ["https://2130706433/", "127.0.0.1 is not under fetch.hosts"],
])("%s is refused", async (address, why) => {
  const read = reader(["example.org"], { resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
  expect(await fault(read(address))).toContain(`source_refused: `);
  expect(await fault(read(address))).toContain(why);
});

test("a redirect is checked as the first address is, and three are followed", async () => {
  const inner = await serve(plain("inside"));
  const outer = await serve((request, response) => {
    const hop = Number(/^\/hop(\d)/.exec(request.url ?? "")?.[1]);
    const to = request.url === "/inside" ? `http://${inner.place}/secret` : hop > 0 ? `/hop${hop - 1}` : "";
    if (to === "") return plain("arrived")(request, response);
    response.writeHead(302, { location: to }).end();
    return undefined;
  });
  const read = reader([outer.place]);
  expect(await fault(read(`http://${outer.place}/inside`))).toMatch(/^source_refused/);
  expect(inner.asked).toEqual([]);
  expect(await read(`http://${outer.place}/hop3`)).toMatchObject([{ text: "arrived" }]);
  expect(await fault(read(`http://${outer.place}/hop4`))).toContain("more than 3 times");
});

test("a body past 1 MB is not taken, whether its length is announced or not; exactly 1 MB is", async () => {
  const big = "x".repeat(1024 * 1024);
  const { place } = await serve((request, response) => {
    response.setHeader("content-type", "text/plain");
    if (request.url === "/announced") response.setHeader("content-length", big.length + 1);
    response.write(big);
    response.end(request.url === "/exact" ? "" : "y");
  });
  const read = reader([place]);
  expect(await fault(read(`http://${place}/streamed`))).toContain("longer than 1048576 bytes");
  expect(await fault(read(`http://${place}/announced`))).toContain("longer than 1048576 bytes");
  const [whole] = await read(`http://${place}/exact`);
  expect(whole?.text).toHaveLength(big.length);
});

test.each(["silent", "half"])("a server that stays %s is given up at the time limit", async (kind) => {
  const { place } = await serve((_request, response) => {
    if (kind === "silent") return;
    response.setHeader("content-type", "text/plain");
    response.write("the first half");
  });
  const read = reader([place], { ticker: realTicker, timeoutMs: 60 });
  expect(await fault(read(`http://${place}/`))).toContain("did not answer within 60 ms");
});

test("a resolver that never answers is given up too", async () => {
  const resolve: Resolve = () => new Promise(() => undefined);
  const read = reader(["example.org"], { resolve, ticker: realTicker, timeoutMs: 30 });
  expect(await fault(read("https://example.org/"))).toContain("did not answer within 30 ms");
});

test("only text is taken: an image, a packed body, an error and no type at all are not", async () => {
  const { place } = await serve((request, response) => {
    if (request.url === "/image") response.setHeader("content-type", "image/png");
    if (request.url === "/packed") {
      response.setHeader("content-type", "text/plain");
      response.setHeader("content-encoding", "gzip");
    }
    if (request.url === "/gone") response.statusCode = 404;
    response.end("body");
  });
  const read = reader([place]);
  expect(await fault(read(`http://${place}/image`))).toContain("image/png is no text");
  expect(await fault(read(`http://${place}/packed`))).toContain("packed as gzip");
  expect(await fault(read(`http://${place}/gone`))).toContain("the answer was 404");
  expect(await fault(read(`http://${place}/untyped`))).toContain("an unnamed type is no text");
});

test("JSON is taken as it stands, and a text in another charset is read in it", async () => {
  const { place } = await serve((request, response) => {
    if (request.url === "/json") {
      response.setHeader("content-type", "application/problem+json");
      response.end('{"n":9007199254740993}');
    } else {
      response.setHeader("content-type", 'text/plain; charset="iso-8859-1"');
      response.end(Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    }
  });
  const read = reader([place]);
  expect(await read(`http://${place}/json`)).toMatchObject([{ text: '{"n":9007199254740993}' }]);
  expect(await read(`http://${place}/latin`)).toMatchObject([{ text: "café" }]);
});

test("a title past its limit ends at a whole character (O36)", async () => {
  const { place } = await serve((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<title>${"a".repeat(199)}🎉🎉</title><p>x`);
  });
  const [page] = await reader([place])(`http://${place}/`);
  expect(page?.title).toBe("a".repeat(199));
  expect(page?.title.isWellFormed()).toBe(true);
});
