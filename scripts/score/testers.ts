import { dredd } from './dredd.ts';
import { portman } from './portman.ts';
import { prism } from './prism.ts';
import { specmatic } from './specmatic.ts';
import type { Tester } from './tester.ts';

/** By their names on the command line. */
export const testers: Record<string, Tester> = {
  prism,
  portman,
  dredd,
  specmatic,
};
