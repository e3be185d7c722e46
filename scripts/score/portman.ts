import { join } from 'node:path';
import { outputOf } from '../command.ts';
import { openNodeWorker } from './node-worker.ts';
import type { Tester } from './tester.ts';

export const portman: Tester = {
  name: 'portman',
  // It needs tslib and does not say so.
  packages: { '@apideck/portman': '1.33.0', newman: '6.2.2', tslib: '2.9.1' },
  method: 'generates a request that should succeed for each operation, and newman runs them.',
  async open({ folder, documentFile, sandbox }) {
    const collection = join(folder, 'collection.json');
    const program = join(folder, 'node_modules/.bin/portman');
    await outputOf(
      [program, '--local', documentFile, '--baseUrl', `${sandbox.url}/v1`, '--output', collection],
      { cwd: folder },
    );
    return openNodeWorker('newman.mjs', folder, collection, sandbox.apiKey);
  },
};
