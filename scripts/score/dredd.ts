import { openNodeWorker } from './node-worker.ts';
import type { Tester } from './tester.ts';

export const dredd: Tester = {
  name: 'Dredd',
  packages: { dredd: '14.1.0' },
  method:
    'sends the example request of each operation for each documented response; only the tests of successes count, because the same request cannot cause the others.',
  async open({ folder, documentFile, sandbox }) {
    return openNodeWorker('dredd.mjs', folder, documentFile, `${sandbox.url}/v1`, sandbox.apiKey);
  },
};
