import { describe, expect, it } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import {
  cleanEnvironment,
  makeFolder,
  petstoreCommand,
  runCli,
  startService,
} from '../../support/process/process.ts';
import { addPet } from '../../support/http/calls.ts';
import { exported, importText } from '../../support/process/files.ts';
import { runOnTerminal } from '../../support/process/terminal.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder } = at;

describe('petstore import', () => {
  it('reports the first bad rows and counts the others', async () => {
    const { stderr } = await importText('{}\n'.repeat(1234), at.store);
    expect(stderr.match(/^line \d+: /gm)).toHaveLength(100);
    expect(stderr).toContain('… and 1,134 more.\n');
  });

  it.each(['-', '/dev/stdin'])('reads a pipe as %s, and leaves no temporary file', async (name) => {
    using temporary = makeFolder();
    const command = petstoreCommand(['import', name, '--database-url', at.store]);
    const script = 'seq 20000 | sed \'s/.*/{"name":"Pet &","categoryId":&}/\' | "$@"';
    const shell = Bun.spawn(['sh', '-c', script, 'sh', ...command], {
      env: cleanEnvironment({ TMPDIR: temporary.path }),
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 300_000,
    });
    const [stdout, status] = await Promise.all([shell.stdout.text(), shell.exited]);
    expect({ status, left: readdirSync(temporary.path) }).toEqual({ status: 0, left: [] });
    expect(stdout).toMatch(/^Added 20,000 pets to .* in /);
    expect(await exported(at.store)).toEndWith('{"id":20000,"name":"Pet 20000","categoryId":20000}\n');
  });

  it('adds to the store of a running service, which returns the pets at once', async () => {
    await using service = await startService();
    expect(await (await service.call('/v1/pets')).json()).toEqual([]);
    expect(await importText('{"name":"Rex","categoryId":1}\n', service.database)).toMatchObject({
      status: 0,
    });
    expect(await (await service.call('/v1/pets')).json()).toEqual([{ id: 1, name: 'Rex', categoryId: 1 }]);
    expect(await addPet(service.call)).toBe('2');
  });

  it('needs no more memory for many pets than for a few', async () => {
    const peak = async (count: number): Promise<number> => {
      const path = inFolder(`${count}.ndjson`);
      writeFileSync(
        path,
        '{"name":"A name of the usual length","categoryId":1,"status":"sold"}\n'.repeat(count),
      );
      const child = Bun.spawn(petstoreCommand(['import', path, '--database-url', `${path}.db`]), {
        env: cleanEnvironment(),
        stdio: ['ignore', 'ignore', 'ignore'],
        timeout: 300_000,
      });
      expect(await child.exited).toBe(0);
      return (child.resourceUsage()?.maxRSS ?? 0) / 1e6;
    };
    const [medium, large] = [await peak(50_000), await peak(400_000)];
    // Its rows as objects would take more than 200 MB.
    expect(large - medium).toBeLessThan(120);
  });

  it.each([
    [
      ['import', 'missing.ndjson'],
      'The file missing.ndjson cannot be read: no such file or directory. Check its path and permissions.',
    ],
    [['import', '.'], '. is a folder. Name a file, or - for standard input.'],
  ])('reports why it fails: %j', async (args, message) => {
    expect(await runCli(args)).toEqual({ status: 1, stdout: '', stderr: `petstore: ${message}\n` });
  });

  it('shows its progress on a terminal', async () => {
    const path = inFolder('pets.csv');
    writeFileSync(path, `name,categoryId\n${'Rex,1\n'.repeat(30_000)}`);
    const { status, screen } = await runOnTerminal(['import', path, '--database-url', at.store]);
    expect(status).toBe(0);
    expect(screen).toMatch(/bytes checked 180,016 of 180,016/);
    expect(screen).toMatch(/added 30,000 of 30,000/);
    expect(screen).toMatch(/Added 30,000 pets to .* in [\d.]+ s\.\n$/);
    const { screen: asked } = await runOnTerminal(['import', '--database-url', at.store]);
    expect(asked).toBe('petstore: There is nothing to import. Name a file: petstore import FILE\n');
  });
});
