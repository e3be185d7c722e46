import { issueKey, isUsable, type IssuedKey } from '../domain/api-key.ts';
import type { Log } from '../system/log.ts';
import type { Store } from '../domain/store.ts';
import { storeAt } from '../stores.ts';
import { addressOf } from './addresses.ts';
import type { ServeContext, ServeOptions } from './options.ts';

/**
 * Creates a key in an embedded store that has none, so that the first request needs no other command. `API_KEYS` makes
 * this unnecessary.
 */
async function createFirstKey(
  { keys }: Store,
  { apiKeys, databaseUrl }: ServeOptions,
  { audit }: ServeContext,
): Promise<IssuedKey | undefined> {
  const isEmbedded = storeAt(databaseUrl).path !== undefined;
  if (!isEmbedded || apiKeys.length > 0 || (await keys.listKeys()).length > 0) return undefined;
  const issued = await issueKey(keys, { name: 'first-start', now: new Date() });
  audit?.('keys create', { keyId: issued.key.id, key: issued.key.name, readOnly: issued.key.isReadOnly });
  return issued;
}

/**
 * Reports what the store's keys may do. Before 2.0.0, a key could only add pets unless the operator asked for more. The
 * store does not record which release used it last, so every start logs this. A failure is ignored: the first request
 * will report it.
 */
async function reportKeys(log: Log, { keys }: Store, { apiKeys, stableOnly }: ServeOptions): Promise<void> {
  const all = await Promise.try(() => keys.listKeys()).catch(() => undefined);
  if (!all) return;
  const usable = all.filter((key) => isUsable(key, Date.now()));
  const writing = usable.filter(({ isReadOnly }) => !isReadOnly);
  if (usable.length + apiKeys.length === 0) {
    log.warn(
      'No API key can be used, so every request is refused. Create one: petstore keys create --name NAME',
    );
  } else if (!stableOnly && writing.length + apiKeys.length > 0) {
    log.info('Keys that are not read-only may change and delete pets; --stable-only prevents it.', {
      keys: writing.length + apiKeys.length,
    });
  }
}

/** Reports that the service is up. Its first key is shown to the operator and never logged. */
export async function announce(
  store: Store,
  options: ServeOptions,
  context: ServeContext,
  port: number,
): Promise<void> {
  const { log, tell } = context;
  const first = await createFirstKey(store, options, context);
  const address = addressOf(options, port);
  const pages = { console: options.stableOnly ? undefined : address, docs: `${address}/docs` };
  log.info('ready', { address, ...pages, store: storeAt(options.databaseUrl).name });
  if (!first) return reportKeys(log, store, options);
  const introduction = introduce(first.text, address, pages);
  // The service keeps running even if its key cannot be shown.
  await tell(introduction).catch(() => {
    log.warn('The first API key could not be shown. Create another: petstore keys create --name NAME');
  });
}

function introduce(
  firstKey: string,
  address: string,
  pages: { console: string | undefined; docs: string },
): string {
  return `
The first API key of this store, shown only this once:

  ${firstKey}

Use it in ${pages.console ? 'the console and in the docs' : 'the docs'}:

  ${pages.console ? `${pages.console}\n  ` : ''}${pages.docs}

Or call the API:

  curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets
  curl -H 'Authorization: Bearer ${firstKey}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1,"status":"available"}' ${address}/v1/pets
`;
}
