import { usageError } from '../../domain/error.ts';
import { Setting } from '../settings.ts';

export const keySetting = new Setting(
  'PETSTORE_API_KEY',
  '<key>',
  '',
  'The key to call with. Other users of the machine can see flags; prefer the variable.',
  'api-key',
);

export const keyNeeded = usageError(
  'An API key is needed.',
  'Set PETSTORE_API_KEY. To create one: petstore keys create --name NAME',
);

/** The address of a service; `name` says where it was given. */
export function parseAddress(url: string, name: string): string {
  const address = URL.parse(url);
  if (address?.username || address?.password) {
    throw usageError(`${name} must not contain a user name or a password.`);
  }
  if (address && /^https?:$/.test(address.protocol)) return address.href;
  throw usageError(`${name} must be an address such as http://127.0.0.1:8080, not "${url}".`);
}
