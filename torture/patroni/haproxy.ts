import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, type Program } from '../support/program.ts';
import { hubAddress, machines } from './network.ts';

export const proxyPort = 5000;

const shipped = join(import.meta.dir, '../../deploy/haproxy/postgres.cfg');

/** The shipped configuration with the addresses of the machines. */
export function startHaproxy(folder: string): Program {
  const file = join(folder, 'haproxy.cfg');
  const bound = readFileSync(shipped, 'utf8').replace('127.0.0.1:5432', `${hubAddress}:${proxyPort}`);
  writeFileSync(
    file,
    bound.replaceAll(/10\.0\.0\.1(\d)/g, (_, number: string) => machines[Number(number) - 1]?.address ?? ''),
  );
  return startProgram(['haproxy', '-db', '-f', file], join(folder, 'haproxy.log'));
}
