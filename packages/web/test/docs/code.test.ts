import { describe, expect, it } from 'bun:test';
import * as fc from 'fast-check';
import { indentJson, renderCurl, tokensOf } from '../../src/docs/code.ts';
import { holds } from '../../../../test/support/property.ts';

describe('indentJson', () => {
  it('formats as JSON.stringify does', async () => {
    await holds(
      fc.asyncProperty(fc.json(), fc.nat({ max: 3 }), async (text, spaces) => {
        const value: unknown = JSON.parse(text);
        const given = JSON.stringify(value, null, spaces);
        expect(indentJson(given)).toBe(JSON.stringify(value, null, 2));
      }),
      300,
    );
  });

  it('leaves anything else as it is', () => {
    for (const text of ['', '{', '<html>a: b</html>', '1n Rex']) expect(indentJson(text)).toBe(text);
  });
});

describe('tokensOf', () => {
  it('loses nothing of a text', async () => {
    await holds(
      fc.asyncProperty(fc.string(), async (text) => {
        const parts = tokensOf(text).map((token) => token.text);
        expect(parts.join('')).toBe(text);
      }),
      300,
    );
  });

  it('tells names, strings and numbers of JSON apart', () => {
    const kinds = tokensOf('{"id": -12, "name": "a\\"b: 1", "on": true}')
      .filter(({ kind }) => kind !== undefined)
      .map(({ kind, text }) => [kind, text]);
    expect(kinds).toEqual([
      ['name', '"id"'],
      ['number', '-12'],
      ['name', '"name"'],
      ['string', '"a\\"b: 1"'],
      ['name', '"on"'],
      ['keyword', 'true'],
    ]);
  });
});

describe('renderCurl', () => {
  it('survives any shell', async () => {
    const body = `{"name":"O'Hara \\"$HOME\\" \`id\` !"}`;
    const command = renderCurl({
      method: 'DELETE',
      path: '/v1/pets?status=it%27s&limit=1',
      headers: [['If-Match', `"it's"`]],
      body,
    });
    const shell = Bun.spawn(['sh', '-c', command.replace(/^curl/, String.raw`printf '%s\n'`)], {
      env: { ...process.env, API_KEY: 'secret' },
      stdout: 'pipe',
    });
    expect((await shell.stdout.text()).trim().split('\n')).toEqual([
      ...['-X', 'DELETE', '-H', 'Authorization: Bearer secret', '-H', `If-Match: "it's"`, '-d', body],
      'http://127.0.0.1:8080/v1/pets?status=it%27s&limit=1',
    ]);
  });
});
