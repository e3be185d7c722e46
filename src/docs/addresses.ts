import { exampleAddress } from '../../packages/console/src/docs/code/request.ts';
import type { OpenapiDocument } from './contract.ts';

export interface Address {
  /** Without `/v1`, which every path of the document begins with. */
  base: string;
  description: string;
}

/**
 * The absolute addresses that the document names. A relative one is this host, whose address the script knows. The
 * default address helps nobody once the operator has configured others.
 */
export function addressesOf({ servers = [] }: OpenapiDocument): Address[] {
  const named = servers
    .filter(({ url }) => /^https?:\/\//i.test(url))
    .map(({ url, description = '' }) => ({ base: baseOf(url), description }));
  const configured = named.filter(({ base }) => base !== exampleAddress);
  return configured.length > 0 ? configured : named;
}

function baseOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}
