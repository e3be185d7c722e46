import { openAt, type Connection, type ConnectionOptions } from './connection.ts';
import { isNewer, refusalOf, type Server } from './server.ts';

/** Opens one session, on the newest server of the address that can be used. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const { newest, others } = await askAllHosts(options);
  for (const connection of others) void connection.close();
  return newest;
}

/**
 * Asks all hosts at once, so that many silent hosts take no longer than one. An old primary that was not told of its
 * successor accepts writes, too; the timeline tells them apart. The others are all that responded, standbys included.
 */
export async function askAllHosts(
  options: ConnectionOptions,
  notBefore?: Server,
): Promise<{ newest: Connection; others: Connection[] }> {
  const { address } = options;
  const attempts = await Promise.allSettled(
    address.hosts.map((host) => openAt(host, { ...options, mayBeStandby: true })),
  );
  const found = attempts.filter((attempt) => attempt.status === 'fulfilled').map(({ value }) => value);
  const failures: unknown[] = attempts
    .filter((attempt) => attempt.status === 'rejected')
    .map(({ reason }) => reason);
  const usable = found.filter((connection) => {
    const refusal = refusalOf(connection, address) ?? refusalOfOlder(connection.server, notBefore);
    if (refusal) failures.push(refusal);
    return !refusal;
  });
  const timelineOf = ({ server }: Connection): number => server?.timeline ?? 0;
  const [newest] = usable.toSorted((one, other) => timelineOf(other) - timelineOf(one));
  if (!newest) {
    for (const connection of found) connection.destroy();
    throw failures.at(-1);
  }
  return { newest, others: found.filter((one) => one !== newest) };
}

/** What was acknowledged on a newer server is missing on an older one. */
function refusalOfOlder(server: Server | undefined, notBefore: Server | undefined): Error | undefined {
  if (!isNewer(notBefore, server)) return undefined;
  return new Error(
    `The server is of timeline ${server?.timeline}, and timeline ${notBefore?.timeline} was used before. ` +
      'If it was restored from a backup, restart the service.',
  );
}
