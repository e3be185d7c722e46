import { type ApiKey, isUsable } from '../../domain/api-key.ts';
import type { ApiKeyStore } from '../store.ts';
import { type KeyRow, keyTable, toMs } from '../tables.ts';
import { untilNoticed } from './freshness.ts';
import type { StoreParts } from './pets.ts';
import { selectColumns } from './rows.ts';

const selectKeys = `SELECT ${selectColumns(keyTable)} FROM api_keys`;

export function createKeyStore({ database, writer, freshness, now }: StoreParts): ApiKeyStore {
  // The database leaves out unusable keys: parsing one would tell by its time that it was known.
  const selectUsable = database.query<KeyRow, [string, number]>(
    `${selectKeys} WHERE hash = ?1 AND (revoked_at IS NULL OR revoked_at > ?2)
      AND (expires_at IS NULL OR expires_at > ?2)`,
  );
  const selectByHash = database.query<KeyRow, [string]>(`${selectKeys} WHERE hash = ?1`);
  const selectById = database.query<KeyRow, [string]>(`${selectKeys} WHERE CAST(id AS TEXT) = ?1`);
  const selectAll = database.query<KeyRow, []>(`${selectKeys} ORDER BY api_keys.id`);

  // Usable keys by hash, valid for one version of the store.
  const kept = new Map<string, ApiKey>();
  let keptVersion: number | undefined;

  const read = (select: () => KeyRow | null): ApiKey | undefined =>
    freshness.read(() => {
      const row = select();
      return row ? keyTable.parse(row) : undefined;
    });

  const change = async (sql: string, values: (string | number | null)[]): Promise<void> => {
    await writer.execute(sql, values);
    await untilNoticed();
  };

  return {
    findKey(hash) {
      const version = freshness.version();
      if (version !== keptVersion) {
        kept.clear();
        keptVersion = version;
      }
      const time = now();
      const known = kept.get(hash);
      if (known && isUsable(known, time)) return known;
      const key = read(() => selectUsable.get(hash, time));
      if (key) kept.set(hash, key);
      return key;
    },

    listKeys() {
      return freshness.read(() => selectAll.all().map(keyTable.parse));
    },

    async createKey({ name, hash, lastFour, isReadOnly, mayDelete, createdAt, expiresAt }) {
      const rights = [Number(isReadOnly), Number(!mayDelete)];
      await change(
        `INSERT INTO api_keys (name, hash, last_four, read_only, no_delete, created_at, expires_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
        [name, hash, lastFour, ...rights, createdAt.getTime(), toMs(expiresAt)],
      );
      const created = read(() => selectByHash.get(hash));
      if (!created) throw new Error('The new key is not in the store.');
      return created;
    },

    async revokeKey(id, revokedAt) {
      await change(
        'UPDATE api_keys SET revoked_at = min(coalesce(revoked_at, ?2), ?2) WHERE CAST(id AS TEXT) = ?1',
        [id, revokedAt.getTime()],
      );
      return read(() => selectById.get(id));
    },

    async recordUse(id, usedAt) {
      await writer.execute('UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1', [id, usedAt.getTime()]);
    },
  };
}
