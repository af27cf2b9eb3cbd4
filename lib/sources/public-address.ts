import { BlockList, isIPv4, isIPv6 } from "node:net";

/** IPv4 that is not the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry/ */
const SPECIAL_V4: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // A public address that answers as the metadata service of one cloud.
  ["168.63.129.16", 32],
];

/** Of IPv6 only 2000::/3 is the public internet, without what tunnels to other addresses or is for examples. */
const SPECIAL_V6: readonly [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const special = new BlockList();
for (const [net, prefix] of SPECIAL_V4) special.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of SPECIAL_V6) special.addSubnet(net, prefix, "ipv6");
const unicast = new BlockList();
unicast.addSubnet("2000::", 3, "ipv6");
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether an IP address is one of the public internet: not private, loopback, link-local, multicast or metadata. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  // An IPv4 address in the clothes of IPv6 is none that a name needs.
  return isIPv6(address) && unicast.check(address, "ipv6") && !special.check(address, "ipv6");
}

/** Whether an IP address is this machine. */
export const isLoopback = (address: string): boolean =>
  isIPv4(address) ? loopback.check(address, "ipv4") : isIPv6(address) && loopback.check(address, "ipv6");
