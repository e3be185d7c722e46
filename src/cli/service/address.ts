import { networkInterfaces } from 'node:os';
import { usageError } from '../../domain/error.ts';
import { isLoopback, localAddressOf } from '../../server/listen.ts';
import { settings, type Setting } from '../settings.ts';

/**
 * Where a service with the settings of this environment is called on this machine. A settings file may have set them, and
 * must not send a key anywhere else.
 */
export function addressOfSettings(environment: NodeJS.ProcessEnv): string {
  const valueOf = ({ variable, fallback }: Setting): string => environment[variable] || fallback;
  const host = valueOf(settings.host);
  const port = valueOf(settings.port);
  const tlsCert = valueOf(settings.tlsCert) || undefined;
  if (!isOfThisMachine(host)) {
    throw usageError(`HOST is "${host}", which is no address of this machine.`, remedy);
  }
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) {
    throw usageError(`PORT is "${port}", which does not tell the port of the service.`, remedy);
  }
  return localAddressOf({ host, tlsCert }, number);
}

const remedy = 'Name the address of the service with --url.';

function isOfThisMachine(host: string): boolean {
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') return true;
  return Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === host));
}
