import { openNodeWorker } from './node-worker.ts';
import type { Tester } from './tester.ts';

export const stepCi: Tester = {
  name: 'Step CI',
  packages: { stepci: '2.8.2' },
  method:
    'generates a step for each operation from its examples, and checks status, schema and equality with the example of the response.',
  async open({ folder, documentFile, sandbox }) {
    return openNodeWorker('step-ci.mjs', folder, documentFile, sandbox.apiKey);
  },
};
