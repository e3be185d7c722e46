import type { StoreOptions } from '../stores/create-store.ts';
import { type NamedStore, storeAt } from '../stores/open.ts';
import { report } from './terminal/output.ts';

/** The one way in which commands open a store: it is closed after use. */
export async function withStore<Opened extends { close(): Promise<void> }, Result>(
  databaseUrl: string,
  open: (place: NamedStore, options: StoreOptions) => Promise<Opened>,
  use: (store: Opened) => Result | Promise<Result>,
): Promise<Result> {
  const place = storeAt(databaseUrl);
  const store = await open(place, {
    onMade: () => report(`Made a new store at ${place.name}.`),
  });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}
