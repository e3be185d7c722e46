import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { addressOf, askLocally, localAddressOf, reservePort } from '../../server/addresses.ts';
import type { ServeOptions } from '../../server/options.ts';
import { loadTls } from '../../server/tls.ts';
import { ok, problem, problemOf, warning, type Finding } from './finding.ts';

const dayMs = 86_400_000;
const gibibyte = 1024 ** 3;
const exhaustedBytes = 100 * 1024 ** 2;

export async function* checkListening(options: ServeOptions): AsyncGenerator<Finding> {
  const { port } = options;
  const address = addressOf(options, port);
  try {
    reservePort(options);
    yield ok('port', port === 0 ? 'Any free port will do.' : `${address} is free.`);
  } catch (error) {
    if ((await statusOf(options, '/livez')) === 200) {
      yield ok('port', `A service responds at ${address}.`);
      yield await checkReadiness(options);
    } else yield problemOf('port', error);
  }
}

/** Sends the request of `petstore health`. */
async function checkReadiness(options: ServeOptions): Promise<Finding> {
  const status = await statusOf(options, '/readyz');
  if (status === 200) return ok('service', 'The service is ready.');
  const message = status === undefined ? 'does not respond in time' : `responds with ${status}`;
  return problem('service', `The service is not ready: /readyz ${message}.`, 'Its log says why.');
}

/** Allow for a write that waits 5 s for the lock. */
const responseMs = 10_000;

/** Undefined unless a Petstore service on the port responds. */
async function statusOf(options: ServeOptions, path: string): Promise<number | undefined> {
  const response = await askLocally(`${localAddressOf(options, options.port)}${path}`, responseMs);
  return response?.headers.has('X-Request-Id') ? response.status : undefined;
}

export async function* checkTls(options: ServeOptions, now: number): AsyncGenerator<Finding> {
  const { tlsCert, tlsKey } = options;
  try {
    const tls = await loadTls(options);
    if (!tls || tlsKey === undefined) return;
    const daysLeft = Math.floor((tls.expiresAt.getTime() - now) / dayMs);
    const until = tls.expiresAt.toISOString().slice(0, 10);
    const name = `The certificate ${tlsCert}`;
    if (daysLeft < 0) yield problem('tls', `${name} expired on ${until}.`, 'Get a new one.');
    else if (daysLeft < 14) yield warning('tls', `${name} expires on ${until}.`, 'Renew it in time.');
    else yield ok('tls', `The certificate is valid until ${until}.`);
    const exposed = checkPrivacy('tls', tlsKey);
    if (exposed) yield exposed;
  } catch (error) {
    yield problemOf('tls', error);
  }
}

/** Warns about a file that other users can read. */
export function checkPrivacy(check: string, path: string): Finding | undefined {
  const others = statSync(path).mode & 0o077;
  if (others === 0 || process.platform === 'win32') return undefined;
  return warning(check, `${path} can be read by other users.`, `Run chmod 600 ${path}.`);
}

export function checkDisk(path: string): Finding {
  const folder = nearestFolder(path);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${(free / gibibyte).toFixed(1)} GiB are free in ${folder}.`;
  const remedy = 'Make room, or move the store to a larger disk.';
  if (free < exhaustedBytes) return problem('disk', text, remedy);
  return free < gibibyte ? warning('disk', text, remedy) : ok('disk', text);
}

/** The folder of a file, or its nearest ancestor that exists. */
export function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
