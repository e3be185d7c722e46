import { describe, expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exported, importText } from '../../support/process/files.ts';
import { makeFolder, runCli } from '../../support/process/process.ts';

describe('petstore import of a spreadsheet', () => {
  it('says how to save it as CSV, and prints no byte of it', async () => {
    using folder = makeFolder();
    const path = join(folder.path, 'pets.csv');
    writeFileSync(path, 'PK\x03\x04\x14\0\x06\0[Content_Types].xml');
    expect(await runCli(['import', path, '--database-url', folder.database])).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'petstore: This is a spreadsheet (.xlsx, .xls or .ods) or an archive, not text. Nothing was written. Open it ' +
        'in Excel or LibreOffice, save it with "Save As" as "CSV UTF-8", and import the new file.\n',
    });
  });

  it('reads windows-1252 when told, and suggests it otherwise', async () => {
    using folder = makeFolder();
    const path = join(folder.path, 'pets.csv');
    writeFileSync(path, Buffer.from('Name;CategoryId;Status\r\nJos\xe9 \x80;1;sold\r\n', 'latin1'));
    const command = ['import', path, '--database-url', folder.database];
    const refused = await runCli(command);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(
      /^petstore: Line 2 is not valid UTF-8\. .* add --encoding windows-1252\.$/m,
    );
    expect(await runCli([...command, '--encoding', 'windows-1252'])).toMatchObject({ status: 0 });
    expect(await exported(folder.database)).toBe('{"id":1,"name":"José €","categoryId":1,"status":"sold"}\n');
  });

  it('keeps no id that leaves no room for new ones', async () => {
    using folder = makeFolder();
    const text = 'id;name;categoryId\r\n1;Rex;1\r\n9223372036854775807;Ada;1\r\n';
    const { status, stderr } = await importText(text, folder.database, '--keep-ids');
    expect(status).toBe(1);
    expect(stderr).toContain('line 3: id must be an integer from 1 to 9222372036854775807 when ids are kept');
    expect(stderr).toContain('not 9223372036854775807.\n');
  });
});
