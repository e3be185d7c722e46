import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fixedKey, type Service } from '../../test/support/process/process.ts';
import { issuedKeys } from './issue-key.ts';

/** Shown once, to the person who starts a service for the first time; nowhere else. */
const firstKey = /^ {2}(pets_[0-9A-Za-z]+)$/m;

interface Place {
  name: string;
  bytes: Buffer;
}

/** Where the log, the errors and the files of a service hold a key that was ever issued or configured here. */
export function findSecrets(service: Service): string[] {
  const [, shown] = firstKey.exec(service.stderr) ?? [];
  const hidden = [...filesOf(service), { name: 'the log', bytes: Buffer.from(service.stdout) }];
  const all = [...hidden, { name: 'standard error', bytes: Buffer.from(service.stderr) }];
  return [
    ...[fixedKey, ...issuedKeys].flatMap((key) => findKey(key, all)),
    ...(shown === undefined ? [] : findKey(shown, hidden)),
  ];
}

function findKey(key: string, places: Place[]): string[] {
  // Of a key that is cut, as the log does it, the end may be seen.
  const secret = key.startsWith('pets_') ? key.slice(5, -4) : key;
  return places
    .filter(({ bytes }) => bytes.includes(secret))
    .map(({ name }) => `the key …${key.slice(-4)} stands in ${name}`);
}

/** Everything in the folder in which the service runs, and the store with its side files. */
function filesOf({ folder, database }: Service): Place[] {
  const isFile = !/^postgres(?:ql)?:/.test(database);
  const ofStore = isFile ? list(dirname(database)).filter((name) => name.startsWith(basename(database))) : [];
  const paths = new Set([
    ...list(folder).map((name) => join(folder, name)),
    ...ofStore.map((name) => join(dirname(database), name)),
  ]);
  return [...paths].flatMap((path) => {
    try {
      return [{ name: basename(path), bytes: readFileSync(path) }];
    } catch (error) {
      // A backup that runs beside the service has finished and removed it meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}

function list(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
}
