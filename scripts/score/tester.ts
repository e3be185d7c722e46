import type { MutableSandbox } from './mutable-sandbox.ts';

export interface TesterOptions {
  /** Where npm installed the tester, and where it may write. */
  folder: string;
  /** The document that it reads: see `document.ts`. */
  documentFile: string;
  sandbox: MutableSandbox;
}

export interface OpenedTester extends AsyncDisposable {
  /** Tests the sandbox as it is now, and returns what it complains about. */
  run(): Promise<Iterable<string>>;
}

export interface Tester {
  name: string;
  /** The npm packages with their exact versions, the tester itself first. */
  packages: Record<string, string>;
  /** How it is used, in one sentence. */
  method: string;
  open(options: TesterOptions): Promise<OpenedTester>;
}
