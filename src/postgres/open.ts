import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import type { ApiKeyStore } from '../api-key.ts';
import { OperatorError } from '../error.ts';
import type { Log } from '../log.ts';
import type { PetStore } from '../pet.ts';
import { parseAddress, type Environment, type PostgresAddress } from './address.ts';
import { createBatcher } from './batcher.ts';
import { createPetCreator } from './create.ts';
import { openDatabase } from './database.ts';
import type { Dialect } from './dialect/dialect.ts';
import { openKeyWatch } from './key-watch.ts';
import { createKeyFinder, createKeyStore } from './keys.ts';
import { migrate } from './migrate.ts';
import { createPageBatchers, createPetLookup, createPetStore } from './pets.ts';
import { createReadiness } from './readiness.ts';
import { openSessionGroup } from './session/group.ts';

export interface PostgresStore {
  pets: PetStore;
  keys: ApiKeyStore;
  /** Waits for the writes that were handed over, then closes every connection. */
  close(): Promise<void>;
}

export interface PostgresOptions {
  /** A `postgres://` address. */
  address: string;
  /** Where libpq's variables are looked up. */
  environment?: Environment;
  maxQueuedWrites?: number;
  /** How long a database that cannot be reached yet is waited for. */
  startWithinMs?: number;
  now?: () => number;
  /** Told which server is in use, and every change. */
  log?: Log;
}

/** Opens the store, bringing the schema up to date where that is needed. */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { environment = {}, maxQueuedWrites = 10_000, startWithinMs = 10_000, now = Date.now, log } = options;
  const address = parseAddress(options.address, environment);
  const dialect = await prepareDatabase(address, startWithinMs);

  const group = openSessionGroup(address, log);
  const database = openDatabase(address, group, dialect);
  const watch = openKeyWatch({
    group,
    database,
    canListen: address.ownsSession,
    canNotify: dialect.hasNotifications,
  });
  // So that the log says at once which server is in use. One that has just gone away is looked for when it is needed.
  await watch.check().catch(() => {});
  const readiness = createReadiness({ group, database, watch, now });
  const create = readiness.observe(createPetCreator(database, now));
  const creates = createBatcher({ run: create, maxQueued: maxQueuedWrites });
  const gets = createBatcher({ run: createPetLookup(database) });
  const pages = createPageBatchers(database, dialect);
  const finds = createBatcher({ run: createKeyFinder(database, now) });
  return {
    pets: createPetStore({ creates, gets, pages, readiness }),
    keys: createKeyStore({ database, watch, finds, now }),
    async close() {
      const batchers = [creates, gets, ...Object.values(pages), finds];
      await Promise.all([...batchers.map((batcher) => batcher.close()), watch.close()]);
      await database.close();
      group.close();
    },
  };
}

const pauseBetweenAttemptsMs = 200;

/** Migrates, and waits for a database that is only starting, too, or has too many visitors for a moment. */
export async function prepareDatabase(address: PostgresAddress, startWithinMs: number): Promise<Dialect> {
  const deadline = performance.now() + startWithinMs;
  for (;;) {
    try {
      return await migrate(address);
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      if (!mayPass(error) || performance.now() > deadline) throw explain(error);
    }
    await sleep(pauseBetweenAttemptsMs);
  }
}

/** 53 is too many connections, 57 a server that starts or stops; 40 a collision of two transactions. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  return error.code !== refusedSettings && /^(?:08|40|53|55|57)/.test(error.code ?? '');
}

/** What a pgbouncer says to a session that starts with settings that it does not know. */
const refusedSettings = '08P01';

/** One line for the operator. The server's own words never hold the password, and the address is not repeated. */
export function explain(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  const { code, message } = error as { code?: string; message: string };
  const reason = `${message || 'no connection'}${code ? ` (${code})` : ''}`;
  if (code === '42501') {
    return new OperatorError(
      `This role may not set up the schema: ${reason}. Run petstore migrate once with a role that may.`,
    );
  }
  if (code === '42P07') {
    return new OperatorError(
      `The database holds tables of another program: ${reason}. Choose another database with --database-url.`,
    );
  }
  if (code === refusedSettings) {
    return new OperatorError(
      `The address leads to a pooler, such as pgbouncer, that does not accept our timeouts: ${reason}. ` +
        'Add pgbouncer=true to the address.',
    );
  }
  return new OperatorError(
    `The database cannot be used: ${reason}. Check --database-url, and that the server runs.`,
  );
}
