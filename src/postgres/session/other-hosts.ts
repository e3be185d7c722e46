import type { PostgresAddress } from '../address.ts';
import type { Host } from './config.ts';
import { openAt, type Connection } from './connection.ts';
import { introduce, isNewer, refusalOf, type Introduction, type Server } from './server.ts';
import { within } from './within.ts';

/** Watches the hosts that are not in use, over one session each, for a server that has been promoted. */
export interface OtherHosts {
  /** True when one of them can be used and is newer. Hosts that cannot be reached delay nobody. */
  haveNewer(than: Server | undefined): Promise<boolean>;
  close(): void;
}

/** A host that takes longer to respond is connected to anew. */
const responseMs = 500;

export function createOtherHosts(address: PostgresAddress, inUse: Host, open: Connection[]): OtherHosts {
  const others = address.hosts
    .filter((host) => host !== inUse)
    .map((host) => {
      const session = open.find((connection) => connection.host === host);
      return createOtherHost(address, host, session);
    });
  return {
    async haveNewer(than) {
      const findings = await Promise.all(others.map((other) => other.isNewer(than)));
      return findings.includes(true);
    },
    close() {
      for (const other of others) other.close();
    },
  };
}

function createOtherHost(address: PostgresAddress, host: Host, first: Connection | undefined) {
  let connection = first;
  let opening: Promise<void> | undefined;
  let isLost = first === undefined;
  let isClosed = false;

  const open = async (): Promise<void> => {
    const opened = await openAt(host, { address, mayBeStandby: true }).catch(() => undefined);
    if (isClosed) opened?.destroy();
    else connection = opened;
    isLost = opened === undefined;
    opening = undefined;
  };

  const ask = async (): Promise<Introduction | undefined> => {
    if (connection?.isOpen) return introduce(connection, address);
    opening ??= open();
    // A host that could not be reached the last time is not waited for.
    if (!isLost) await opening;
    return connection?.isOpen ? connection : undefined;
  };

  return {
    async isNewer(than: Server | undefined): Promise<boolean> {
      try {
        const state = await within(responseMs, ask());
        return state !== undefined && !refusalOf(state, address) && isNewer(state.server, than);
      } catch {
        connection?.destroy();
        return false;
      }
    },
    close(): void {
      isClosed = true;
      connection?.destroy();
    },
  };
}
