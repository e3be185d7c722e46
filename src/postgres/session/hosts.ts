import type { PostgresAddress } from '../address.ts';
import { openAt, type Connection, type ConnectionOptions } from './connection.ts';
import { refusalOf, type Server } from './server.ts';

/** Opens one session, on the newest server of the address that can be used. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { address } = options;
  const answers = await Promise.allSettled(
    address.hosts.map((host) => openAt(host, { ...options, mayBeStandby: true })),
  );
  const { newest, failure } = pickNewest(answers, address);
  for (const answer of answers)
    if (answer.status === 'fulfilled' && answer.value !== newest) void answer.value.close();
  if (!newest) throw failure;
  return newest;
}

/**
 * All hosts are asked at once, so that many silent ones take no longer than one. An old primary that was not told of its
 * successor accepts writes, too; the timeline tells them apart. The failure says why no host can be used.
 */
export function pickNewest(
  answers: PromiseSettledResult<Connection>[],
  address: PostgresAddress,
  notBefore?: Server,
): { newest?: Connection; failure?: unknown } {
  let newest: Connection | undefined;
  let failure: unknown;
  for (const answer of answers) {
    const refusal = answer.status === 'fulfilled' && refusalOf(answer.value, address, notBefore);
    if (answer.status === 'rejected') failure ??= answer.reason;
    else if (refusal) failure = refusal;
    else if (!newest || answer.value.server.timeline > newest.server.timeline) newest = answer.value;
  }
  return newest ? { newest } : { failure };
}
