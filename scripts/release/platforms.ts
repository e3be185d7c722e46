import { openSync, readSync, closeSync } from 'node:fs';

/** A platform that gets an executable. */
export interface Platform {
  name: string;
  target: Bun.Build.CompileTarget;
  /** The npm package that has its Bun. */
  runtime: string;
  /** How such an executable begins, by offset. */
  header: Record<number, number[]>;
}

const elf = [0x7f, 0x45, 0x4c, 0x46];
const machO = [0xcf, 0xfa, 0xed, 0xfe];

export const platforms: Platform[] = [
  // Offset 18 of ELF and 4 of Mach-O name the machine.
  {
    name: 'linux-x64',
    target: 'bun-linux-x64',
    runtime: '@oven/bun-linux-x64',
    header: { 0: elf, 18: [0x3e, 0] },
  },
  {
    name: 'linux-arm64',
    target: 'bun-linux-arm64',
    runtime: '@oven/bun-linux-aarch64',
    header: { 0: elf, 18: [0xb7, 0] },
  },
  {
    name: 'darwin-x64',
    target: 'bun-darwin-x64',
    runtime: '@oven/bun-darwin-x64',
    header: { 0: machO, 4: [0x07, 0, 0, 0x01] },
  },
  {
    name: 'darwin-arm64',
    target: 'bun-darwin-arm64',
    runtime: '@oven/bun-darwin-aarch64',
    header: { 0: machO, 4: [0x0c, 0, 0, 0x01] },
  },
];

/** The platform that this program runs on, if it gets an executable. */
export const host = platforms.find(({ name }) => name === `${process.platform}-${process.arch}`);

/** Whether a file begins as an executable of a platform does. */
export function isExecutableOf({ header }: Platform, file: string): boolean {
  const start = Buffer.alloc(32);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start);
  closeSync(descriptor);
  return Object.entries(header).every(([offset, bytes]) =>
    start.subarray(Number(offset), Number(offset) + bytes.length).equals(Buffer.from(bytes)),
  );
}
