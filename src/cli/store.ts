import type { StoreOptions } from '../stores/create-store.ts';
import { type StoreLocation, storeAt } from '../stores/open.ts';
import { report } from './terminal/output.ts';

/** The one way in which commands open a store: it is closed after use. */
export async function withStore<Opened extends { close(): Promise<void> }, Result>(
  databaseUrl: string,
  open: (location: StoreLocation, options: StoreOptions) => Promise<Opened>,
  use: (store: Opened) => Result | Promise<Result>,
): Promise<Result> {
  const location = storeAt(databaseUrl);
  const store = await open(location, {
    onMade: () => report(`Made a new store at ${location.name}.`),
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
