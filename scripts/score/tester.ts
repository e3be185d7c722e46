import type { MutableSandbox } from './mutable-sandbox.ts';

export interface TesterOptions {
  /** Where npm installed the tester. */
  folder: string;
  versions: Record<string, string>;
  sandbox: MutableSandbox;
}

export interface Tester extends AsyncDisposable {
  /** With its version. */
  name: string;
  /** Tests the sandbox as it is now, and returns what it complains about. */
  run(): Promise<Set<string>>;
}

export type OpenTester = (options: TesterOptions) => Promise<Tester>;

export const contractFile = new URL('../../openapi.yaml', import.meta.url).pathname;
