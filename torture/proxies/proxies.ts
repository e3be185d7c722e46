import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/http/free-port.ts';
import { startProgram } from '../support/program.ts';

/** A load balancer in front of the replicas. */
export interface Proxy extends AsyncDisposable {
  url: string;
}

export type StartProxy = (folder: string, ports: readonly number[]) => Promise<Proxy>;

/** It asks every replica for `/readyz`, so it leaves one that is about to stop before the door closes. */
export const startHaproxy: StartProxy = async (folder, ports) => {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    `
global
    maxconn 1000

defaults
    mode http
    timeout connect 2s
    timeout client 30s
    timeout server 15s
    option redispatch
    retries 3

listen petstore
    bind 127.0.0.1:${port}
    balance roundrobin
    option httpchk GET /readyz
    http-check expect status 200
    default-server inter 500ms fall 2 rise 1
${ports.map((replica) => `    server replica-${replica} 127.0.0.1:${replica} check`).join('\n')}
`,
  );
  return started(['haproxy', '-db', '-f', file], folder, port);
};

/** The free nginx asks nobody: it learns from a refused connection, which is safe to try elsewhere. */
export const startNginx: StartProxy = async (folder, ports) => {
  const port = await freePort();
  mkdirSync(join(folder, 'nginx'));
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `
user root;
daemon off;
worker_processes 1;
pid ${folder}/nginx/pid;
error_log ${folder}/nginx/error.log warn;

events {
  worker_connections 512;
}

http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/nginx/${kind};`).join('\n  ')}

  upstream petstore {
${ports.map((replica) => `    server 127.0.0.1:${replica} max_fails=1 fail_timeout=1s;`).join('\n')}
    keepalive 16;
  }

  server {
    listen 127.0.0.1:${port};

    location / {
      proxy_pass http://petstore;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_connect_timeout 2s;
      proxy_read_timeout 15s;
      proxy_next_upstream error timeout;
    }
  }
}
`,
  );
  return started(['nginx', '-c', file, '-e', join(folder, 'nginx/error.log')], folder, port);
};

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
