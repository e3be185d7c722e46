import { type IssuedKey, issueKey } from '../stores/issue-key.ts';
import { isUsable } from '../domain/api-key.ts';
import { OperatorError, PetstoreError } from '../domain/error.ts';
import type { Log } from '../system/log.ts';
import type { Store } from '../stores/store.ts';
import { storeAt } from '../stores/open.ts';
import { addressOf } from './listener.ts';
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
  try {
    const issued = await issueKey(keys, { name: 'first-start', now: new Date() });
    audit?.('keys create', { keyId: issued.key.id, key: issued.key.name, readOnly: issued.key.isReadOnly });
    return issued;
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    throw new OperatorError(
      'The store is new and its first API key could not be written.',
      'Make room on the disk, or choose another file with --database-url.',
    );
  }
}

/** A failure is ignored: the first request will report it. */
async function warnWithoutKeys(log: Log, { keys }: Store, { apiKeys }: ServeOptions): Promise<void> {
  const all = await Promise.try(() => keys.listKeys()).catch(() => undefined);
  if (!all || apiKeys.length > 0 || all.some((key) => isUsable(key, Date.now()))) return;
  log.warn(
    'No API key can be used, so every request is refused. Create one: petstore keys create --name NAME',
  );
}

/** Reports that the service is up. Its first key is shown to the operator and never logged. */
export async function announce(
  store: Store,
  options: ServeOptions,
  context: ServeContext,
  port: number,
): Promise<void> {
  const { log, print } = context;
  const first = await createFirstKey(store, options, context);
  const address = addressOf(options, port);
  const pages = { console: options.stableOnly ? undefined : address, docs: `${address}/docs` };
  log.info('ready', { address, ...pages, store: storeAt(options.databaseUrl).name });
  if (!first) return warnWithoutKeys(log, store, options);
  // The service keeps running even if its key cannot be shown.
  await print(renderFirstKey(first.text, address, pages)).catch(() => {
    log.warn('The first API key could not be shown. Create another: petstore keys create --name NAME');
  });
}

function renderFirstKey(
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
