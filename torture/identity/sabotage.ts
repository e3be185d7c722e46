import type { Patch } from '../support/broken-program.ts';

/** One promise that is broken on purpose. */
export interface Sabotage {
  what: string;
  patches: Patch[];
}

export const sabotages: readonly Sabotage[] = [
  {
    what: 'a file that was moved or replaced goes unnoticed',
    patches: [
      {
        file: 'src/sqlite/opening/store-file.ts',
        find: 'export function isInPlace(file: StoreFile): boolean {',
        replace: 'export function isInPlace(file: StoreFile): boolean {\n  if (file) return true;',
      },
    ],
  },
  {
    what: 'whoever looks opens a usual connection',
    patches: [
      {
        file: 'src/sqlite/opening/read-only.ts',
        find: 'function open(store: StoreFile): ReadOnlyStore {',
        replace: `function open(store: StoreFile): ReadOnlyStore {
  if (store) return opened(openDatabase(store.path, { readwrite: true, create: false }), store);`,
      },
    ],
  },
  {
    what: 'a restore does not follow links',
    patches: [
      {
        file: 'src/sqlite/maintenance/restore.ts',
        find: '  const path = resolveLinks(name);',
        replace: '  const path = name;',
      },
    ],
  },
  {
    what: 'the shared memory beside a link is taken for that of the store',
    patches: [
      {
        file: 'src/sqlite/open.ts',
        find: 'watchCommits(database, store.path)',
        replace: 'watchCommits(database, path)',
      },
      {
        file: 'src/system/map-file.ts',
        find: '  if (!isOpenElsewhere(file)) return undefined;',
        replace: '  void isOpenElsewhere;',
      },
    ],
  },
  {
    what: 'a restore brings revoked keys back',
    patches: [
      {
        file: 'src/sqlite/maintenance/replaced-keys.ts',
        find: 'if (key) change.run(hash, key.revokedAt, key.expiresAt ?? expiresAt);',
        replace: 'void [key, change, expiresAt];',
      },
    ],
  },
  {
    what: 'a new store is made where a restore was killed',
    patches: [
      {
        file: 'src/sqlite/opening/store-file.ts',
        find: 'const isRestoring = existsSync(restoringPath(path));',
        replace: 'const isRestoring = existsSync(restoringPath(path)) && path === "";',
      },
    ],
  },
  {
    what: 'a shared memory that was removed goes unnoticed',
    patches: [
      {
        file: 'src/sqlite/opening/store-file.ts',
        find: "const found = ['-wal', '-shm'].flatMap((suffix) => {",
        replace: "const found = ['-wal'].flatMap((suffix) => {",
      },
    ],
  },
];
