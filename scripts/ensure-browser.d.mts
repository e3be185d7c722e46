/** What a machine has and may do. */
export interface Machine {
  platform: string;
  arch: string;
  isRoot: boolean;
  /** The path of a program by its name; undefined if it is not there. */
  find(program: string): string | undefined;
  /** Whether the command succeeds. */
  run(...command: string[]): boolean;
}

export function findBrowser(machine?: Machine): string | undefined;
export function ensureBrowser(machine?: Machine): string | undefined;
