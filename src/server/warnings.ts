import type { Log } from '../system/log.ts';
import type { ServeOptions } from './options.ts';

/** What every start warns of, and `petstore check` too. The engines warn of what they find in their store. */

/** Random letters and digits of this length have 95 bits of entropy. */
const shortestSafeKey = 16;

export function warnOfSettings({ tlsCert, host, apiKeys }: ServeOptions, log: Log): void {
  if (tlsCert === undefined && !isLoopback(host))
    log.warn('Keys and pets travel unencrypted. Put a TLS proxy in front, or use --tls-cert and --tls-key.', {
      host,
    });
  if (apiKeys.some((key) => key.length < shortestSafeKey))
    log.warn(
      'A key in API_KEYS is so short that it can be guessed. Use a key of the store instead: petstore keys create --name ' +
        'NAME',
    );
}

export function warnOfNoKey(log: Log): void {
  log.warn(
    'No API key can be used, so every request is refused. Create one: petstore keys create --name NAME',
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
