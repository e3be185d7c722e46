import { openSync, readSync, closeSync } from 'node:fs';

/** A platform that gets an executable. */
export interface Platform {
  name: string;
  target: Bun.Build.CompileTarget;
  /** The npm package that has its Bun. */
  runtime: string;
  /** The number of its processor in ELF. */
  machine: number;
}

export const platforms: Platform[] = [
  { name: 'linux-x64', target: 'bun-linux-x64', runtime: '@oven/bun-linux-x64', machine: 0x3e },
  { name: 'linux-arm64', target: 'bun-linux-arm64', runtime: '@oven/bun-linux-aarch64', machine: 0xb7 },
];

/** The platform that this program runs on, if it gets an executable. */
export const host = platforms.find(({ name }) => name === `${process.platform}-${process.arch}`);

/** Whether a file begins as an executable of a platform does. */
export function isExecutableOf({ machine }: Platform, file: string): boolean {
  const start = Buffer.alloc(20);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start);
  closeSync(descriptor);
  return start.toString('latin1', 0, 4) === '\u007fELF' && start.readUInt16LE(18) === machine;
}
