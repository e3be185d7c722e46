import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { openListeningService, type ListeningService } from '../../support/http/listening.ts';
import { listen } from '../../support/http/socket.ts';
import { importText } from '../../support/process/files.ts';
import { makeFolder, runCli, startCli } from '../../support/process/process.ts';
import { runOnTerminal } from '../../support/process/terminal.ts';

let service: ListeningService;
beforeEach(async () => {
  service = await openListeningService();
});
afterEach(() => service[Symbol.asyncDispose]());

const two = 'name,categoryId\nRex,1\nTom,2\n';
const largest = 2n ** 63n - 1n;
const petsOf = ({ client }: ListeningService) => Array.fromAsync(client.pets());
/** The category of each pet, by its name. */
const categoriesOf = async (of: ListeningService) =>
  Object.fromEntries((await petsOf(of)).map(({ name, categoryId }) => [name, categoryId]));

describe('petstore import', () => {
  it('adds a file once for each key, and says how to go on if it stops', async () => {
    const { text } = await issueKey(service.keys, { name: 'till', now: new Date() });
    const till = { url: service.url, apiKey: text };
    const first = await importText(two, till);
    expect(first).toMatchObject({ status: 0, stdout: `Added 2 of 2 pets to ${service.url}.\n` });
    expect(first.stderr).toContain('run it again with the same API key within a week of its first start');
    expect(await importText(two, till)).toMatchObject({
      status: 0,
      stdout: `Added 0 of 2 pets to ${service.url}. 2 were there already.\n`,
    });
    expect(await petsOf(service)).toHaveLength(2);
    await importText(two, service);
    expect(await petsOf(service)).toHaveLength(4);
  });

  it('finds the numbers of categories, and names new ones beside the largest number of all', async () => {
    for (const [id, name] of [
      [3n, 'Cats'],
      [9n, 'CATS'],
      [largest, 'Whales'],
    ] as const)
      await service.client.putCategory(id, name);
    for (const categoryId of [10n, 11n]) await service.client.createPet({ name: 'There', categoryId });
    const { status, stderr } = await importText(
      'name,category,categoryId\nRex,Dögs,\nTom, cáts ,\nBo,7,\nKit,DOGS,\nJo,Fish,\nMo,whales,\nTwo,Fish,2\n',
      service,
    );
    expect(status).toBe(0);
    expect(stderr.match(/^New category: .*$/gm)).toEqual(['New category: 12 Dögs', 'New category: 13 Fish']);
    const numbers = { Rex: 12n, Tom: 3n, Bo: 7n, Kit: 12n, Jo: 13n, Mo: largest, Two: 2n };
    expect(await categoriesOf(service)).toEqual({ There: 11n, ...numbers });
  });

  it('reports a pet that was imported with other values, and goes on', async () => {
    const text = 'name,category\nJo,Fish\nMo,1\n';
    await importText(text, service);
    await service.client.deleteCategory(1n);
    await service.client.putCategory(5n, 'Fish');
    const { status, stdout, stderr } = await importText(text, service);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('line 2: This pet was imported before, with other values.\n');
    expect(stderr).toContain(
      `Added 0 of 2 pets to ${service.url}. 1 were there already. The service refused 1 row.`,
    );
  });

  it.each([400, 413])('reports a row that the service refuses with %p, and goes on', async (status) => {
    const body = {
      code: status === 400 ? 'invalid_pet' : 'payload_too_large',
      message: 'Not that one.',
      status,
    };
    await using front = listen({
      async fetch(request) {
        const isRefused = request.method === 'POST' && (await request.clone().text()).includes('Tom');
        return isRefused ? Response.json(body, { status }) : service.app.fetch(request);
      },
    });
    const refused = await importText(`${two}Bo,3\n`, { ...service, url: front.url });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('line 3: Not that one.\n');
    expect(Object.keys(await categoriesOf(service)).toSorted()).toEqual(['Bo', 'Rex']);
  });

  it('waits for a rate limit', async () => {
    let refusals = 0;
    await using front = listen({
      async fetch(request) {
        // For longer than a call is retried otherwise, if these were other failures.
        if (refusals++ % 3 < 2) {
          const body = { code: 'rate_limited', message: 'Later.', status: 429 };
          return Response.json(body, { status: 429, headers: { 'Retry-After': '0' } });
        }
        return service.app.fetch(request);
      },
    });
    expect(await importText(two, { ...service, url: front.url })).toMatchObject({ status: 0 });
    expect(await petsOf(service)).toHaveLength(2);
  });

  it('refuses a read-only and an unknown key before the first row', async () => {
    const { text: apiKey } = await issueKey(service.keys, {
      name: 'window',
      now: new Date(),
      isReadOnly: true,
    });
    expect(await importText(two, { url: service.url, apiKey })).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'petstore: This API key may only read. Nothing was sent. Use a key that may add pets, such as one that this makes: petstore keys create --name import\n',
    });
    expect(await importText(two, { url: service.url, apiKey: 'unknown' })).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'petstore: This API key is unknown, expired or revoked. Check the API key in API_KEY or its file.\n',
    });
    expect(await petsOf(service)).toEqual([]);
  });

  it('imports numbers into a service with --stable-only, and refuses names and a read-only key', async () => {
    await using stable = await openListeningService({ stableOnly: true });
    expect(await importText('name,category\nRex,1\n', stable)).toMatchObject({ status: 0 });
    const refused = await importText('name,category\nRex,1\nTom,Cats\n', stable);
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toEndWith(
      'petstore: The file names categories, which this service does not serve (--stable-only). Nothing was sent. Write numbers, in the column categoryId.\n',
    );
    const { text: apiKey } = await issueKey(stable.keys, {
      name: 'window',
      now: new Date(),
      isReadOnly: true,
    });
    expect(await importText(two, { url: stable.url, apiKey })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`Added 0 of 2 pets to ${stable.url}.`) as string,
    });
    expect(await petsOf(stable)).toHaveLength(1);
  });

  it('stops when the file changes between its two readings', async () => {
    using folder = makeFolder();
    const path = `${folder.path}/pets.ndjson`;
    const rows = Array.from(
      { length: 4000 },
      (_, index) => `{"name":"${'x'.repeat(250)}","categoryId":${index}}\n`,
    );
    writeFileSync(path, rows.join(''));
    await using command = startCli(['import', path, '--url', service.url], {
      cwd: folder.path,
      env: { API_KEY: service.apiKey },
    });
    await command.stderr.untilMatch(/sent 400/);
    writeFileSync(path, `${rows.slice(0, -1).join('')}${rows.at(-1)!.replace('x', 'y')}`);
    expect(await command.ended).toBe(1);
    expect(command.stderr.text).toMatch(
      /petstore: The file has changed since it was checked\. Restore it, and run the command again\. Added [\d,]+ of 4,000 pets/,
    );
  });

  it('shows its progress on a terminal', async () => {
    using folder = makeFolder();
    const path = `${folder.path}/pets.csv`;
    writeFileSync(path, `name,categoryId\n${'Rex,1\n'.repeat(2000)}`);
    const env = { API_KEY: service.apiKey };
    const { status, screen } = await runOnTerminal(['import', path, '--url', service.url], { env });
    expect(status).toBe(0);
    expect(screen).toMatch(/bytes checked 12,016 of 12,016/);
    expect(screen).toMatch(/sent 2,000 of 2,000/);
    expect(screen).toEndWith(`Added 2,000 of 2,000 pets to ${service.url}.\n`);
  });
});

describe('a command that calls a service', () => {
  const run = (env: Record<string, string>, ...args: string[]) =>
    runCli(['export', ...args], { env: { API_KEY: service.apiKey, PORT: '8080', ...env } });

  it('finds the one on this machine by HOST and PORT, and the key in a file', async () => {
    using folder = makeFolder();
    const file = `${folder.path}/key`;
    writeFileSync(file, `${service.apiKey}\n`);
    const env = { HOST: '0.0.0.0', PORT: String(service.port), API_KEY: 'wrong' };
    expect(await run(env, '--api-key-file', file)).toMatchObject({ status: 0 });
  });

  it.each<[string, Record<string, string>, string[], string]>([
    [
      'no key',
      { API_KEY: '' },
      [],
      "The variable API_KEY is empty. Set the key with export API_KEY='pets_…', or name a file that holds it with --api-key-file.",
    ],
    [
      'the key of an example',
      { API_KEY: 'pets_…' },
      [],
      "The variable API_KEY has characters that no API key has. Set the key with export API_KEY='pets_…', or name a file that holds it with --api-key-file.",
    ],
    [
      'TLS, but no address',
      { TLS_CERT: 'cert.pem', PORT: '8443' },
      [],
      'The service uses TLS (TLS_CERT), so its address is needed. Name the address that is in its certificate, such as --url https://pets.example',
    ],
    [
      'an address with a password',
      {},
      ['--url', 'https://user:secret@pets.example'],
      '--url must be an http: or https: address without a user, such as https://pets.example.',
    ],
  ])('refuses %s', async (_title, env, args, message) => {
    expect(await run(env, ...args)).toEqual({ status: 2, stdout: '', stderr: `petstore: ${message}\n` });
  });

  it('says at once that nothing responds', async () => {
    await service.goAway();
    expect(await run({}, '--url', service.url)).toEqual({
      status: 1,
      stdout: '',
      stderr: `petstore: ${service.url}/v1/key cannot be reached. The reason is ECONNREFUSED. Check that the service runs, and its address (--url).\n`,
    });
    service.comeBack();
  });
});
