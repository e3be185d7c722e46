import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { openListeningService, type ListeningService } from '../support/http/listening.ts';
import { importText, runAt } from '../support/process/files.ts';
import { cleanEnvironment, petstoreCommand } from '../support/process/process.ts';

/** What is hard to write to a file: the edges of int64, and names that look like syntax. */
const oddNames = [
  ...[
    '',
    ' ',
    '"',
    '""',
    ',',
    ';',
    '\n',
    '\r\n',
    '\r',
    '\t',
    '\\',
    '\\u0041',
    "'",
    '{"name":"A"}',
    '],[',
    'null',
  ],
  ...[
    '=1+1',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffd',
    'é',
    'e\u0301',
    '猫',
    '🐾',
  ],
  ...['\u{10ffff}', '\u202etxt', 'id,name,categoryId,status', 'x'.repeat(255)],
];
const edges = [-(2n ** 63n), -(2n ** 53n) - 1n, 0n, 2n ** 53n + 1n, 2n ** 63n - 1n];
const statuses = ['available', 'pending', 'sold', undefined] as const;

let service: ListeningService;
beforeAll(async () => {
  service = await openListeningService();
  await service.client.putCategory(0n, 'Zoë; "2nd"');
  for (const [index, name] of oddNames.entries()) {
    const status = statuses[index % statuses.length];
    await service.client.createPet({ name, categoryId: edges[index % edges.length]!, status });
  }
});
afterAll(() => service[Symbol.asyncDispose]());

const run = (...args: string[]) => runAt(service, ['export', ...args]);

describe('petstore export', () => {
  it.each([[[]], [['--csv']], [['--excel', ';']]])(
    'writes every pet byte for byte, which import reads: %j',
    async (args) => {
      const { stdout, ...others } = await run(...args);
      expect(others).toEqual({
        status: 0,
        stderr: `Exported ${oddNames.length} pets of ${service.url}.\n`,
      });
      await using other = await openListeningService();
      expect(await importText(stdout, other)).toMatchObject({ status: 0 });
      const petsOf = async ({ client }: ListeningService) =>
        (await Array.fromAsync(client.pets()))
          .map(({ name, categoryId, status }) => JSON.stringify([name, String(categoryId), status]))
          .toSorted();
      expect(await petsOf(other)).toEqual(await petsOf(service));
    },
  );

  it('names a certificate that it does not trust', async () => {
    const [cert, key] = ['localhost.pem', 'localhost-key.pem'].map((name) =>
      Bun.file(join(import.meta.dir, '../fixtures', name)),
    );
    using server = Bun.serve({ port: 0, tls: { cert, key }, fetch: () => new Response() });
    const url = `https://127.0.0.1:${server.port}`;
    const { status, stderr } = await runAt({ ...service, url }, ['export']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `petstore: ${url}/v1/key cannot be reached. The reason is DEPTH_ZERO_SELF_SIGNED_CERT. If an authority of your own issued it, name the certificate of that authority: NODE_EXTRA_CA_CERTS=ca.pem\n`,
    });
  });

  it('has the names of categories, and for Excel its delimiter', async () => {
    await using shop = await openListeningService();
    await shop.client.putCategory(1n, 'Dogs; small');
    await shop.client.createPet({ name: 'Rex, Jr.', categoryId: 1n, status: 'sold' });
    expect((await runAt(shop, ['export', '--csv'])).stdout).toBe(
      'id,name,categoryId,status,category\r\n1,"Rex, Jr.",1,sold,"Dogs; small"\r\n',
    );
    expect((await runAt(shop, ['export', '--excel', ';'])).stdout).toBe(
      'id;name;categoryId;status;category\r\n1;"Rex, Jr.";1;sold;"Dogs; small"\r\n',
    );
  });

  it('begins with a byte order mark for Excel', async () => {
    const { stdout } = await inShell(`"$@" --excel ';' | head -c 3 | od -An -tx1`, 'sh');
    expect(stdout).toBe(' ef bb bf\n');
  });

  it('works with --stable-only and a read-only key, and refuses an unknown one', async () => {
    await using stable = await openListeningService({ stableOnly: true });
    await stable.client.createPet({ name: 'Rex', categoryId: 1n });
    expect((await runAt(stable, ['export', '--csv'])).stdout).toEndWith('\r\n1,Rex,1,,\r\n');
    expect(await runAt({ url: service.url, apiKey: 'unknown' }, ['export'])).toMatchObject({
      status: 1,
      stdout: '',
    });
  });

  it('ends with one line when standard output is on a full disk', async () => {
    const { status, stderr } = await inShell('"$@" >/dev/full', 'sh');
    expect(status).toBe(1);
    expect(stderr).toEndWith(
      'petstore: Standard output cannot be written: no space left on device. Check where it is redirected to.\n',
    );
  });

  it('ends quietly when its reader is gone', async () => {
    // More than a pipe holds.
    const pet = { name: 'x'.repeat(255), categoryId: 1n };
    await Promise.all(Array.from({ length: 1000 }, () => service.client.createPet(pet)));
    const { status, stdout, stderr } = await inShell('set -o pipefail; "$@" | head -n 1', 'bash');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toStartWith('{"id":1,');
  });
});

async function inShell(script: string, shell: string) {
  const command = petstoreCommand(['export', '--url', service.url]);
  const child = Bun.spawn([shell, '-c', script, shell, ...command], {
    env: cleanEnvironment({ API_KEY: service.apiKey }),
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, status] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { stdout, stderr, status };
}
