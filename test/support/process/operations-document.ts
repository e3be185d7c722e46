import { join } from 'node:path';

export interface Block {
  language: string;
  text: string;
}

const file = join(import.meta.dir, '../../../docs/operations.md');

/** The fenced blocks of docs/operations.md, in order. */
export async function operationsBlocks(): Promise<Block[]> {
  const document = await Bun.file(file).text();
  return [...document.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }));
}

/** A block that later ones need in their shell. */
export function isDefinition({ text }: Block): boolean {
  return /^petstore\(\) \{/.test(text);
}

/** Two blocks show how to get the program: from the files of a release, and from a clone. */
export function isForRelease({ text }: Block): boolean {
  return text.startsWith('sha256sum ');
}

export function isForClone({ text }: Block): boolean {
  return text.startsWith('npm run build\n');
}

/** The key that a command has just shown, if any. */
export function keyIn(output: string): string | undefined {
  return /pets_[0-9A-Za-z]{36}/.exec(output.slice(output.lastIndexOf('Key ')))?.[0] ?? undefined;
}
