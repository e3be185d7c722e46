import { describe, expect, it } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { exported, importText } from '../../support/process/files.ts';
import { runCli } from '../../support/process/process.ts';
import { useStoreFolder } from '../../support/process/store-folder.ts';

const at = useStoreFolder();
const { inFolder } = at;

describe('petstore import of a spreadsheet', () => {
  it('reads windows-1252 when told, and suggests it otherwise', async () => {
    const path = inFolder('pets.csv');
    writeFileSync(path, Buffer.from('Name;CategoryId;Status\r\nJos\xe9 \x80;1;sold\r\n', 'latin1'));
    const command = ['import', path, '--database-url', at.store];
    const refused = await runCli(command);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(
      /^petstore: The file is not valid UTF-8\. .* add --encoding windows-1252\.$/m,
    );
    expect(await runCli([...command, '--encoding', 'windows-1252'])).toMatchObject({ status: 0 });
    expect(await exported(at.store)).toBe('{"id":1,"name":"José €","categoryId":1,"status":"sold"}\n');
  });

  it('names the columns that it leaves out, and accepts a status as a person types it', async () => {
    const text =
      'Id;Name;CategoryId;Price;Status\r\n7;Rex;1;20;Available\r\n8;Ada;1;30; sold \r\n9;Tom;1;;\r\n';
    const { status, stderr } = await importText(text, at.store);
    expect(status).toBe(0);
    expect(stderr).toContain('Left out: the columns Id and Price.\n');
    expect(await exported(at.store)).toBe(
      '{"id":1,"name":"Rex","categoryId":1,"status":"available"}\n' +
        '{"id":2,"name":"Ada","categoryId":1,"status":"sold"}\n{"id":3,"name":"Tom","categoryId":1}\n',
    );
    const kept = await importText('id,name,categoryId\n20,Rex,1\n', at.store, '--keep-ids');
    expect(kept.stderr).not.toContain('Left out');
  });
});

describe('petstore export --excel', () => {
  const pets = '{"name":"Zoë; 2nd","categoryId":1,"status":"sold"}\n';

  it('writes a byte order mark and the separator of the locale, and import reads it', async () => {
    const expected = '\ufeffid;name;categoryId;status;category\r\n1;"Zoë; 2nd";1;sold;\r\n';
    await importText(pets, at.store);
    const args = ['--excel', '--database-url', at.store];
    const env = { LC_ALL: 'de_DE.UTF-8' };
    // The byte order mark is no part of the text that was decoded.
    expect((await runCli(['export', ...args], { env })).stdout).toBe(expected.slice(1));
    const path = inFolder('pets.csv');
    expect(await runCli(['export', path, ...args], { env })).toMatchObject({ status: 0 });
    expect(readFileSync(path, 'utf8')).toBe(expected);
    const other = inFolder('other.db');
    await runCli(['import', path, '--database-url', other]);
    expect(await exported(other)).toBe(await exported(at.store));
  });

  it('is refused with another format', async () => {
    expect(await runCli(['export', 'pets.ndjson', '--excel'])).toEqual({
      status: 2,
      stdout: '',
      stderr: 'petstore: --excel writes CSV. Name a file that ends in .csv.\n',
    });
  });
});
