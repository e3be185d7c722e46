import { describe, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shipped } from '../../torture/proxies/proxies.ts';
import { readDeployFile } from '../support/deploy/files.ts';

const scale = readFileSync(join(import.meta.dir, '../../docs/scale.md'), 'utf8');
const blocks = [...scale.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, text = '']) => text);

describe('the configurations of load balancers', () => {
  it.each([
    ['haproxy/haproxy.cfg', /^listen petstore.*/ms],
    ['nginx/petstore.conf', /^upstream petstore.*/ms],
  ])('%s is printed in scale.md, which names it', (path, essential) => {
    expect(scale).toContain(`](../deploy/${path})`);
    expect(blocks).toContain(essential.exec(readDeployFile(path))?.[0] ?? 'nothing');
  });

  it('have nothing but addresses replaced when they are tortured', () => {
    const addresses = /\d+\.\d+\.\d+\.\d+:\d+|(?:bind|listen) \S+/g;
    for (const [path, own] of [
      ['haproxy/haproxy.cfg', { 'bind :80': 'bind 127.0.0.1:1' }],
      ['nginx/petstore.conf', { 'listen 80;': 'listen 127.0.0.1:1;' }],
    ] as const) {
      const run = shipped(path, own, [2, 3, 4]);
      expect(run).not.toContain('10.0.0.');
      expect(run.replaceAll(addresses, '')).toBe(readDeployFile(path).replaceAll(addresses, ''));
    }
  });
});
