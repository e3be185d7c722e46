import type { ApiKeyStore } from '../api-key.ts';
import type { PetStore } from '../pet.ts';
import { openSqliteStore } from '../sqlite/open.ts';
import { usage } from './config.ts';

export interface Stores {
  pets: PetStore;
  keys: ApiKeyStore;
  /** True for the store that lives in a file of this machine. */
  isEmbedded: boolean;
  close(): Promise<void>;
}

/** Opens the store that a `DATABASE_URL` names. */
export async function openStores(databaseUrl: string): Promise<Stores> {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(databaseUrl) ?? [];
  switch (scheme) {
    case undefined:
      return { ...openSqliteStore({ path: databaseUrl }), isEmbedded: true };
    case 'sqlite':
      return { ...openSqliteStore({ path: sqlitePath(databaseUrl) }), isEmbedded: true };
    case 'postgres':
    case 'postgresql': {
      // Loaded when it is needed: a service on an embedded store starts without the driver.
      const { openPostgresStore } = await import('../postgres/open.ts');
      return {
        ...(await openPostgresStore({ address: databaseUrl, environment: process.env })),
        isEmbedded: false,
      };
    }
    default:
      throw usage(
        `DATABASE_URL must be a file path, a sqlite: or a postgres: address, not a ${scheme}: address.`,
      );
  }
}

/** `sqlite:data/shop.db`, `sqlite:/var/lib/shop.db` and `sqlite:///var/lib/shop.db`. */
function sqlitePath(address: string): string {
  const path = address.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  if (path === '' || path.startsWith('//'))
    throw usage('A sqlite: address names a file, such as sqlite:data/petstore.db.');
  return path;
}
