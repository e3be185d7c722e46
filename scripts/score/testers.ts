import { chaiPlugin } from './chai.ts';
import { dredd } from './dredd.ts';
import { portman } from './portman.ts';
import { prism } from './prism.ts';
import { respect, respectWithOurs } from './respect.ts';
import { specmatic } from './specmatic.ts';
import { stepCi } from './step-ci.ts';
import type { Tester } from './tester.ts';

/** By their names on the command line. */
export const testers: Record<string, Tester> = {
  prism,
  chai: chaiPlugin,
  portman,
  dredd,
  'step-ci': stepCi,
  respect,
  'respect-ours': respectWithOurs,
  specmatic,
};
