import type { Log, LogFields } from '../domain/log.ts';

/** Counts a refused request of an address. */
export type CountRefusal = (address: string, fields?: LogFields) => void;

/** Past it, addresses are counted together, so that an attack from many costs no more memory than one from these. */
const maxAddresses = 1000;

/** Logs the first refusal of an address at once, and how many followed at most once a minute. */
export function createRefusalCounter(
  log: Log,
  message: string,
  afterAMinute: (run: () => void) => void = inAMinute,
): CountRefusal {
  const counts = new Map<string, { count: number; fields: LogFields }>();

  const later = (client: string): void => {
    afterAMinute(() => {
      const { count = 0, fields } = counts.get(client) ?? {};
      if (count === 0) return void counts.delete(client);
      counts.set(client, { count: 0, fields: {} });
      log.warn(message, { client, count, ...fields });
      later(client);
    });
  };

  return (address, fields = {}) => {
    const client = counts.has(address) || counts.size < maxAddresses ? address : 'others';
    const known = counts.get(client);
    if (known) {
      known.count += 1;
      known.fields = fields;
      return;
    }
    counts.set(client, { count: 0, fields: {} });
    log.warn(message, { client, count: 1, ...fields });
    later(client);
  };
}

function inAMinute(run: () => void): void {
  setTimeout(run, 60_000).unref();
}
