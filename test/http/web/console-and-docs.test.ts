import { afterAll, describe, expect, it } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { statusOfCode } from '../../../src/domain/error.ts';
import { openService } from '../../support/http/service.ts';

const service = await openService();
afterAll(() => service.close());

const gzip = { 'Accept-Encoding': 'gzip, br' };

/** The addresses that a document loads. */
function filesOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, address]) => `/${address}`);
}

for (const path of ['/', '/docs']) {
  describe(`GET ${path}`, () => {
    it('may load only files of this service', async () => {
      const response = await service.callAs(null, path);
      expect(response.headers.get('Content-Security-Policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    });

    it('has no inline script, style or handler', async () => {
      const html = await (await service.call(path)).text();
      expect(html.match(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|javascript:/gi)).toBeNull();
    });

    it('needs at most 60 KB in total, compressed', async () => {
      const html = await (await service.call(path)).text();
      const addresses = [path, ...filesOf(html)];
      expect(addresses.length).toBe(4);
      let bytes = 0;
      for (const address of addresses) {
        const response = await service.callAs(null, address, { headers: gzip });
        expect(response.headers.get('Content-Encoding')).toBe('gzip');
        bytes += (await response.bytes()).byteLength;
      }
      expect(bytes).toBeLessThan(60_000);
    });
  });
}

describe('GET /assets/{file}', () => {
  it('lets a file be cached forever under a name with its hash, and revalidated under its plain name', async () => {
    const [address = ''] = filesOf(await (await service.call('/')).text());
    const response = await service.callAs(null, address);
    expect(address).toMatch(/-[0-9a-f]{16}\.\w+$/);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    const plain = await service.callAs(null, '/assets/console.js');
    expect(plain.headers.get('Cache-Control')).toBe('private, no-cache');
  });

  it('compresses only for callers that accept gzip', async () => {
    const get = (accepted: string) =>
      service.callAs(null, '/assets/console.css', { headers: { 'Accept-Encoding': accepted } });
    const plain = await (await get('br')).text();
    for (const accepted of ['gzip', 'br, GZIP;q=0.5', 'deflate,gzip', 'gzip;q=1.0', 'gzip; q=.01 , br'])
      expect(gunzipSync(await (await get(accepted)).bytes()).toString()).toBe(plain);
    for (const refused of ['', 'br', 'gzip;q=0', 'gzip ; q=0.000, br', 'x-gzip'])
      expect((await get(refused)).headers.get('Content-Encoding')).toBeNull();
  });

  it('serves no other file', async () => {
    for (const name of ['none.js', 'console.tsx', '..%2fopenapi.yaml', 'constructor', '__proto__', ''])
      expect([401, 404]).toContain((await service.callAs(null, `/assets/${name}`)).status);
  });
});

describe('the guide', () => {
  it('installs the client from its own package and not from a registry', async () => {
    const html = await (await service.call('/docs')).text();
    const text = html.replace(/<[^>]+>/g, '');
    const installed = [...text.matchAll(/npm install (\S+)/g)].map(([, name]) => name);
    expect(installed).toEqual(['./petstore-client-*.tgz']);
  });

  it('explains every error code', async () => {
    const html = await (await service.call('/docs')).text();
    for (const code of Object.keys(statusOfCode)) expect(html).toContain(`<code>${code}</code></dt>`);
  });
});
