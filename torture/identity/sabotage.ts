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
        find: 'export function openReadOnly(store: OpenedStore): ReadOnlyStore {',
        replace: `export function openReadOnly(store: OpenedStore): ReadOnlyStore {
  if (store) return opened(new Database(store.path, { readwrite: true, create: false }));`,
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
        file: 'src/sqlite/maintenance/replaced-store.ts',
        find: 'if (key) change.run(hash, key.revokedAt, key.expiresAt ?? expiresAt);',
        replace: 'void [key, change, expiresAt];',
      },
    ],
  },
  {
    what: 'a restore that was killed is finished by nobody',
    patches: [
      {
        file: 'src/sqlite/maintenance/put-in-place.ts',
        find: 'while (findRestore(path)) {',
        replace: 'while (!path) {',
      },
    ],
  },
];
