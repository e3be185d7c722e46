import { BlockList, isIP, isIPv6 } from 'node:net';

/** The address of a request's caller; undefined if the connection is gone. */
export type ClientAddress = (request: Request) => string | undefined;

/**
 * Finds the caller's address behind trusted proxies. Each proxy appends the address that called it to
 * `X-Forwarded-For`, so the rightmost address that is not a trusted proxy is the caller's. Anything left of it may be
 * forged.
 */
export function createClientAddress(peerOf: ClientAddress, trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (request) => plain(peerOf(request));
  const trusted = createProxyList(trustedProxies);
  return (request) => {
    const hops = request.headers.get('X-Forwarded-For')?.split(',') ?? [];
    let address = plain(peerOf(request));
    while (address !== undefined && isListed(trusted, address)) {
      const next = plain(hops.pop()?.trim());
      if (next === undefined || isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}

/** Throws if an entry is neither an address nor a range such as `10.0.0.0/8`. */
export function createProxyList(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/');
    const family = familyOf(address);
    const isRange = bits !== undefined && /^\d{1,3}$/.test(bits);
    if (isIP(address) === 0 || rest.length > 0 || (bits !== undefined && !isRange))
      throw new RangeError(entry);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isListed(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** A dual-stack socket shows an IPv4 address as `::ffff:192.0.2.1`. */
function plain(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}
