import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/http/free-port.ts';
import { startProgram } from '../support/program.ts';

/** A load balancer in front of the replicas. */
export interface Proxy extends AsyncDisposable {
  url: string;
}

export type StartProxy = (folder: string, replicas: readonly string[]) => Promise<Proxy>;

/** It asks every replica for `/readyz`, so it leaves one that is about to stop before the door closes. */
export const startHaproxy: StartProxy = async (folder, replicas) => {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    shipped('haproxy/haproxy.cfg', { 'bind :80': `bind 127.0.0.1:${port}`, ...addressesOf(replicas) }),
  );
  return started(['haproxy', '-db', '-f', file], folder, port);
};

/** The free nginx asks nobody: it learns from a refused connection, which is safe to try elsewhere. */
export const startNginx: StartProxy = async (folder, replicas) => {
  const port = await freePort();
  const own = join(folder, 'nginx');
  mkdirSync(own);
  const site = { 'listen 80;': `listen 127.0.0.1:${port};`, ...addressesOf(replicas) };
  writeFileSync(join(own, 'petstore.conf'), shipped('nginx/petstore.conf', site));
  // What the system's nginx.conf has around conf.d, with files in a folder of its own.
  const file = join(own, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  writeFileSync(
    file,
    `
user root;
daemon off;
worker_processes 1;
pid ${own}/pid;
error_log ${own}/error.log warn;

events {
  worker_connections 512;
}

http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${own}/${kind};`).join('\n  ')}
  include ${own}/petstore.conf;
}
`,
  );
  return started(['nginx', '-c', file, '-e', join(own, 'error.log')], folder, port);
};

/** A file of deploy/ with only its addresses replaced. */
export function shipped(path: string, addresses: Record<string, string>): string {
  const text = readFileSync(join(import.meta.dir, '../../deploy', path), 'utf8');
  return Object.entries(addresses).reduce((each, [from, to]) => {
    if (!each.includes(from)) throw new Error(`${path} does not contain ${from}.`);
    return each.replace(from, to);
  }, text);
}

function addressesOf(replicas: readonly string[]): Record<string, string> {
  return Object.fromEntries(replicas.map((url, index) => [`10.0.0.${index + 1}:8080`, new URL(url).host]));
}

async function started(command: string[], folder: string, port: number): Promise<Proxy> {
  const url = `http://127.0.0.1:${port}`;
  const program = startProgram(command, join(folder, `${command[0]}.log`));
  // A kill would leave the workers of nginx behind.
  const stop = () => program.stop('SIGTERM');
  try {
    await program.untilReady(async () => (await fetch(`${url}/readyz`)).ok);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, [Symbol.asyncDispose]: stop };
}
