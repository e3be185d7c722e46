import { parseInt64 } from '../domain/int64.ts';
import { idsUsedUp } from '../domain/error.ts';
import { type KeyRow, readKey, selectListOf } from './rows.ts';
import type { Apply, Engine, Statement } from './statement.ts';
import type { ApiKeyStore } from './store.ts';

/** The query leaves out unusable keys, so that a revoked one takes as long as an unknown one. */
const selectUsable: Statement = {
  name: 'select-keys',
  input: { hash: 'text', now: 'bigint' },
  sql: `SELECT ${selectListOf('api_keys')} FROM api_keys WHERE hash = input.hash
    AND coalesce(revoked_at > input.now, true) AND coalesce(expires_at > input.now, true)`,
};
/** The only read of a whole table, because keys are few. */
const selectAll: Statement = {
  name: 'select-all-keys',
  input: {},
  sql: `SELECT ${selectListOf('api_keys')} FROM api_keys ORDER BY api_keys.id`,
};

/** The API keys. They change through the same batches as pets do. */
export function createKeyStore(engine: Pick<Engine, 'read'>, apply: Apply, now: () => number): ApiKeyStore {
  return {
    findKey: (hash) => engine.read(selectUsable, [hash, now()], ([row]: KeyRow[]) => row && readKey(row)),

    listKeys: () => engine.read(selectAll, [], (rows: KeyRow[]) => rows.map(readKey)),

    async createKey(key) {
      const created = await apply({ kind: 'create-key', key });
      if (typeof created === 'string') throw idsUsedUp();
      return created;
    },

    async revokeKey(id, revokedAt) {
      const number = parseInt64(id);
      if (number === undefined) return undefined;
      const revoked = await apply({ kind: 'revoke-key', id: number, revokedAt });
      return typeof revoked === 'string' ? undefined : revoked;
    },

    async recordUse(id, usedAt) {
      const number = parseInt64(id);
      if (number !== undefined) await apply({ kind: 'note-key-use', id: number, usedAt });
    },
  };
}
