import type { PostgresAddress } from '../address.ts';
import type { Host } from './config.ts';
import { openAt, type Connection } from './connection.ts';
import type { Found } from './hosts.ts';
import { introduce, isNewer, type Server } from './server.ts';

/** Watches the hosts that are not in use, over one session each, for a server that has been promoted. */
export interface Scouts {
  /** True when one of them can be used and is newer. Hosts that cannot be reached delay nobody. */
  seeNewer(than: Server | undefined): Promise<boolean>;
  close(): void;
}

/** A host that takes longer to respond is connected to anew, which nobody waits for. */
const patienceMs = 500;

export function createScouts(address: PostgresAddress, inUse: Host, found: Found[]): Scouts {
  const scouts = address.hosts
    .filter((host) => host !== inUse)
    .map((host) => createScout(address, host, found.find((one) => one.host === host)?.connection));
  return {
    async seeNewer(than) {
      const reports = await Promise.all(scouts.map((scout) => scout.seesNewer(than)));
      return reports.includes(true);
    },
    close() {
      for (const scout of scouts) scout.close();
    },
  };
}

interface Scout {
  seesNewer(than: Server | undefined): Promise<boolean>;
  close(): void;
}

function createScout(address: PostgresAddress, host: Host, first: Connection | undefined): Scout {
  let connection = first;
  let opening: Promise<void> | undefined;
  let isClosed = false;

  const open = async (): Promise<void> => {
    const opened = await openAt(host, { address, mayBeStandby: true }).catch(() => undefined);
    if (isClosed) opened?.destroy();
    else connection = opened;
    opening = undefined;
  };

  return {
    async seesNewer(than) {
      if (!connection?.isOpen) {
        opening ??= open();
        return false;
      }
      const asked = connection;
      const patience = setTimeout(() => asked.destroy(), patienceMs);
      try {
        const state = await introduce((text) => asked.query(text), address);
        const canBeUsed = !state.isStandby && !(address.mustBeWritable && state.isReadOnly);
        return canBeUsed && isNewer(state.server, than);
      } catch {
        asked.destroy();
        return false;
      } finally {
        clearTimeout(patience);
      }
    },
    close() {
      isClosed = true;
      connection?.destroy();
    },
  };
}
