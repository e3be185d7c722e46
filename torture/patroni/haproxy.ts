import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram, type Program } from '../support/program.ts';
import { hubAddress, machines } from './network.ts';

export const proxyPort = 5000;

/** As Patroni's own documentation has it: the leader is whoever says so, and whoever no longer does loses its sessions. */
const configuration = `
global
    maxconn 500

defaults
    mode tcp
    retries 2
    timeout connect 4s
    timeout client 30m
    timeout server 30m
    timeout check 5s

listen petstore
    bind ${hubAddress}:${proxyPort}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter 3s fall 3 rise 2 on-marked-down shutdown-sessions
${machines.map(({ name, address }) => `    server ${name} ${address}:5432 maxconn 100 check port 8008`).join('\n')}
`;

/** The proxy that leads to the leader. */
export function startHaproxy(folder: string): Program {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration);
  return startProgram(['haproxy', '-db', '-f', file], join(folder, 'haproxy.log'));
}
