import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './process.ts';

/** Files by which a folder can make Bun run a program of its own. */
export const plantedConfigs = ['bunfig.toml', 'tsconfig.json', 'jsconfig.json'] as const;
export type PlantedConfig = (typeof plantedConfigs)[number];

/** A folder in which somebody else has left a `.env` file, and a program that Bun would run. */
export interface PlantedFolder extends Disposable {
  path: string;
  /** A key that the planted .env would make valid. */
  apiKey: string;
  /** Where the planted .env would keep the store. */
  database: string;
  /** A text that is in the planted program. */
  mark: string;
  /** What was run or made although it was only planted. */
  found(): string[];
}

export function plantFolder(config: PlantedConfig = 'bunfig.toml'): PlantedFolder {
  const folder = makeFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const database = join(folder.path, 'planted.db');
  const trace = join(folder.path, 'program-ran');
  const [apiKey, mark] = ['planted-key', 'planted-program'];
  write('.env', `DATABASE_URL=${database}\nAPI_KEYS=${apiKey}\nPORT=0\n`);
  write('program.ts', `globalThis.process?.getBuiltinModule('fs').writeFileSync('${trace}', '${mark}');\n`);
  if (config === 'bunfig.toml') write(config, 'preload = ["./program.ts"]\n');
  else write(config, '{"compilerOptions":{"baseUrl":".","paths":{"*":["./program.ts"]}}}');
  return {
    path: folder.path,
    apiKey,
    database,
    mark,
    found: () => [trace, database].filter((path) => existsSync(path)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
