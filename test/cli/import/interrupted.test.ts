import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueKey } from '../../../src/stores/issue-key.ts';
import { openListeningService, type ListeningService } from '../../support/http/listening.ts';
import { runAt } from '../../support/process/files.ts';
import { makeFolder, startCli, type Folder } from '../../support/process/process.ts';
import { randomFrom } from '../../support/random.ts';

const total = 3000;
const kindOf = (index: number): string => `Kind ${index % 7}`;
let folder: Folder;
let path: string;

beforeAll(() => {
  folder = makeFolder();
  path = join(folder.path, 'pets.csv');
  const rows = Array.from({ length: total }, (_, index) => `Pet ${index},${kindOf(index)}\n`);
  writeFileSync(path, `name,category\n${rows.join('')}`);
});
afterAll(() => folder[Symbol.dispose]());

const startImport = ({ url, apiKey }: Pick<ListeningService, 'url' | 'apiKey'>) =>
  startCli(['import', path, '--url', url], { cwd: folder.path, env: { API_KEY: apiKey } });

/** Checks that every pet of the file is there once, in its category. */
async function expectOnce({ client }: ListeningService): Promise<void> {
  const kinds = new Map((await Array.fromAsync(client.categories())).map(({ id, name }) => [id, name]));
  const pets = (await Array.fromAsync(client.pets())).map(
    ({ name, categoryId }) => `${name} ${kinds.get(categoryId)}`,
  );
  const expected = Array.from({ length: total }, (_, index) => `Pet ${index} ${kindOf(index)}`);
  expect(pets.toSorted()).toEqual(expected.toSorted());
  expect(kinds.size).toBe(7);
}

describe('an import', () => {
  it('that is killed three times at random adds each pet exactly once', async () => {
    await using service = await openListeningService();
    const random = randomFrom(Date.now());
    for (const moment of [/New category|Adding/, /Adding/, /sent 300/]) {
      await using command = startImport(service);
      await Promise.race([command.stderr.untilMatch(moment), command.ended]);
      await Promise.race([Bun.sleep(random.next() * 100), command.ended]);
      await command.stop('SIGKILL');
    }
    expect((await Array.fromAsync(service.client.pets())).length).toBeGreaterThan(0);
    const { status, stdout } = await runAt(service, ['import', path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Added [\d,]+ of 3,000 pets to \S+\. [\d,]+ were there already\.\n$/);
    await expectOnce(service);
  });

  it('that runs twice at once adds each pet once', async () => {
    await using service = await openListeningService();
    const results = await Promise.all([1, 2].map(() => runAt(service, ['import', path])));
    expect(results.map(({ status }) => status)).toEqual([0, 0]);
    await expectOnce(service);
  });

  it('outlasts lost connections and a restart of the service', async () => {
    await using service = await openListeningService();
    await using command = startImport(service);
    for (const moment of [/sent 300/, /sent 900/, /sent 1,500/]) {
      await command.stderr.untilMatch(moment);
      await service.goAway();
      await Bun.sleep(300);
      service.comeBack();
    }
    expect(await command.ended).toBe(0);
    await expectOnce(service);
  });

  it('whose key is revoked stops, and says how many pets are in', async () => {
    await using service = await openListeningService();
    const { key, text } = await issueKey(service.keys, { name: 'till', now: new Date() });
    await using command = startImport({ url: service.url, apiKey: text });
    await command.stderr.untilMatch(/sent 300/);
    await service.keys.revokeKey(key.id, new Date());
    expect(await command.ended).toBe(1);
    const [, added = ''] = /Added ([\d,]+) of 3,000 pets/.exec(command.stderr.text) ?? [];
    expect((await Array.fromAsync(service.client.pets())).length).toBe(Number(added.replaceAll(',', '')));
    expect(command.stderr.text).toMatch(
      /^petstore: This API key is unknown, expired or revoked\. Added .* run it again with the same API key/m,
    );
    expect(command.stdout.text).toBe('');
  });
});
