import { OperatorError, PetstoreError } from '../error.ts';
import type { Log } from '../log.ts';
import { issueKey } from './keys.ts';
import { tell } from './output.ts';
import type { Stores } from './stores.ts';

/** An embedded store without any key gets one, so that the first call needs no other command. */
export async function makeFirstKey({ keys, isEmbedded }: Stores): Promise<string | undefined> {
  if (!isEmbedded || (await keys.listKeys()).length > 0) return undefined;
  try {
    return (await issueKey(keys, { name: 'first-start', now: new Date() })).text;
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    throw new OperatorError(
      'The store is new and its first API key could not be written. ' +
        'Make room on the disk, or choose another file with --database-url.',
    );
  }
}

/** Says that the service is up. A new key goes to the person, never to the log. */
export function announce(log: Log, address: string, firstKey: string | undefined): void {
  log.info('ready', { address });
  if (firstKey === undefined) return;
  tell(`
This store is new. Its first API key, shown only this once:

  ${firstKey}

Try it:

  curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets
  curl -H 'Authorization: Bearer ${firstKey}' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1,"status":"available"}' ${address}/v1/pets
`);
}
