import { expect, it } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvFile } from '../../src/cli/settings.ts';
import { makeFolder } from '../support/process/process.ts';

it('reads settings from a file, but nothing that decides where an API key is sent', () => {
  using folder = makeFolder();
  const path = join(folder.path, 'settings');
  const lines = [
    ...['PORT=3000', 'HOST=0.0.0.0', 'PGPASSWORD=p', 'BACKUP_TO=/backups'],
    ...['AUDIT_LOG=audit.log', 'S3_ACCESS_KEY_ID=a', 'AWS_SECRET_ACCESS_KEY=s'],
    ...['PETSTORE_URL=http://evil', 'HTTP_PROXY=http://evil', 'https_proxy=http://evil'],
    ...[
      'NODE_EXTRA_CA_CERTS=/evil',
      'NODE_TLS_REJECT_UNAUTHORIZED=0',
      'BUN_CONFIG_PRELOAD=/evil',
      'PATH=/evil',
    ],
  ];
  writeFileSync(path, lines.join('\n'));
  const environment: NodeJS.ProcessEnv = { HOST: '127.0.0.1' };
  readEnvFile(path, environment);
  expect(environment).toEqual({
    HOST: '127.0.0.1',
    PORT: '3000',
    PGPASSWORD: 'p',
    BACKUP_TO: '/backups',
    AUDIT_LOG: 'audit.log',
    S3_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 's',
  });
});
