import { BlockList, isIP } from 'node:net';

/** The address that a request came from; undefined if the connection is gone. */
export type ClientAddress = (request: Request) => string | undefined;

/**
 * The address of a request's client. Behind trusted proxies, it is the last one in `X-Forwarded-For` that is not trusted:
 * everything before it may be made up. If there is none, or it is not an address, the peer's address is used.
 */
export function createClientAddress(peerOf: ClientAddress, trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const network of trustedProxies) addNetwork(trusted, network);
  const isTrusted = (address: string) => trusted.check(address, familyOf(address));

  return (request) => {
    const peer = peerOf(request);
    if (peer === undefined) return undefined;
    const addresses = isTrusted(peer) ? (request.headers.get('X-Forwarded-For') ?? '').split(',') : [];
    const client = addresses.map((address) => address.trim()).findLast((address) => !isTrusted(address));
    return withoutIpv6Prefix(client !== undefined && isIP(client) !== 0 ? client : peer);
  };
}

/** Whether a text is an address or a network, such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  try {
    addNetwork(new BlockList(), text);
    return true;
  } catch {
    return false;
  }
}

function addNetwork(list: BlockList, text: string): void {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d+))?$/.exec(text) ?? [];
  if (isIP(address) === 0) throw new TypeError(`${text} is not a network.`);
  if (prefix === undefined) list.addAddress(address, familyOf(address));
  else list.addSubnet(address, Number(prefix), familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** A dual-stack socket shows an IPv4 address as `::ffff:192.0.2.1`. */
function withoutIpv6Prefix(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
