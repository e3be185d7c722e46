import { describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import {
  indentJson,
  newUuid,
  renderCurl,
  tokensOf,
  type ApiRequest,
  type Language,
} from '../../src/docs/code.ts';
import { makeFolder } from '../../../../test/support/process/process.ts';
import { holds } from '../../../../test/support/property.ts';

describe('indentJson', () => {
  it('keeps every digit', () => {
    expect(indentJson('[{"id":9223372036854775807,"at":1.50e+3}]')).toBe(
      '[\n  {\n    "id": 9223372036854775807,\n    "at": 1.50e+3\n  }\n]',
    );
  });

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
  it.each<Language>(['json', 'typescript', 'python', 'shell', 'text'])(
    'loses nothing of a text: %s',
    async (language) => {
      await holds(
        fc.asyncProperty(fc.string(), async (text) => {
          expect(
            tokensOf(text, language)
              .map((token) => token.text)
              .join(''),
          ).toBe(text);
        }),
        300,
      );
    },
  );

  it('tells names, strings and numbers of JSON apart', () => {
    const kinds = tokensOf('{"id": -12, "name": "a\\"b: 1", "on": true}', 'json')
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

  it('makes a new UUID each time it runs', async () => {
    using folder = makeFolder();
    // As from util-linux, which not every machine has.
    const program = `#!/bin/sh\nexec '${process.execPath}' -e 'console.log(crypto.randomUUID())'\n`;
    await writeFile(join(folder.path, 'uuidgen'), program, { mode: 0o755 });
    const headers: ApiRequest['headers'] = [['Idempotency-Key', newUuid]];
    const command = renderCurl({ method: 'POST', path: '/v1/pets', headers, body: '{}' });
    const run = async () => {
      const shell = Bun.spawn(['sh', '-c', command.replace(/^curl/, String.raw`printf '%s\n'`)], {
        env: { ...process.env, PATH: `${folder.path}:${process.env['PATH']}` },
        stdout: 'pipe',
      });
      return /^Idempotency-Key: ([0-9a-f-]{36})$/m.exec(await shell.stdout.text())?.[1];
    };
    const [first, second] = [await run(), await run()];
    expect(first).toBeString();
    expect(second).toBeString();
    expect(second).not.toBe(first!);
  });

  it('sends a body that looks like the name of a file', () => {
    const request = { method: 'POST', path: '/v1/pets', headers: [], body: '@pets.json' };
    expect(renderCurl(request)).toContain("--data-raw '@pets.json'");
  });
});
