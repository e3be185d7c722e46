import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { addressOf, askLocally, localAddressOf, reservePort } from '../../server/listener.ts';
import type { ServeOptions } from '../../server/options.ts';
import { ok, problem, problemOf, warning, type Finding } from './finding.ts';

const gibibyte = 1024 ** 3;
const exhaustedBytes = 100 * 1024 ** 2;
const responseMs = 5000;

export async function checkPort(options: ServeOptions): Promise<Finding> {
  const { port } = options;
  const address = addressOf(options, port);
  try {
    reservePort(options);
    return ok('port', port === 0 ? 'Any free port will do.' : `${address} is free.`);
  } catch (error) {
    const response = await askLocally(`${localAddressOf(options, port)}/livez`, responseMs);
    const isOurs = response?.status === 200 && response.headers.has('X-Request-Id');
    return isOurs ? ok('port', `A service responds at ${address}.`) : problemOf('port', error);
  }
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
