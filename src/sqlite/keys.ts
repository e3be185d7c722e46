import { isUsable, type ApiKey, type ApiKeyStore } from '../domain/api-key.ts';
import type { StoreParts } from './parts.ts';

export interface KeyRow {
  id: string;
  name: string;
  hash: string;
  lastFour: string;
  isReadOnly: number;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  replacedBy: string | null;
  lastUsedAt: number | null;
}

export const selectKeys = `
  SELECT CAST(id AS TEXT) AS id, name, hash, last_four AS lastFour, read_only AS isReadOnly,
    created_at AS createdAt, expires_at AS expiresAt, revoked_at AS revokedAt,
    CAST(replaced_by AS TEXT) AS replacedBy, last_used_at AS lastUsedAt
  FROM api_keys`;

export function createKeyStore({ database, writer, freshness, now }: StoreParts): ApiKeyStore {
  const selectUsable = database.query<KeyRow, [string, number]>(
    `${selectKeys} WHERE hash = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)`,
  );
  const selectByHash = database.query<KeyRow, [string]>(`${selectKeys} WHERE hash = ?1`);
  const selectById = database.query<KeyRow, [string]>(`${selectKeys} WHERE CAST(id AS TEXT) = ?1`);
  const selectAll = database.query<KeyRow, []>(`${selectKeys} ORDER BY api_keys.id`);

  // Usable keys by hash, as they were at this version.
  const kept = new Map<string, ApiKey>();
  let keptVersion: number | undefined;

  const read = (select: () => KeyRow | null): ApiKey | undefined =>
    freshness.read(() => {
      const row = select();
      return row ? toApiKey(row) : undefined;
    });

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
      return freshness.read(() => selectAll.all().map(toApiKey));
    },

    async createKey({ createdAt, expiresAt, ...key }) {
      const times = { createdAt: createdAt.getTime(), expiresAt: expiresAt?.getTime() ?? null };
      await writer.run({ kind: 'create-key', ...key, ...times });
      const created = read(() => selectByHash.get(key.hash));
      if (!created) throw new Error('The new key is not in the store.');
      return created;
    },

    async revokeKey(id, revokedAt) {
      await writer.run({ kind: 'revoke-key', id, revokedAt: revokedAt.getTime() });
      const key = read(() => selectById.get(id));
      if (key && !key.revokedAt) throw new Error('The key is not revoked in the store.');
      return key;
    },

    async replaceKey(id, { replacedBy, previous = null, expiresAt, now: at }) {
      const times = { expiresAt: expiresAt.getTime(), now: at.getTime() };
      await writer.run({ kind: 'replace-key', id, replacedBy, previous, ...times });
      return read(() => selectById.get(id));
    },

    async recordUse(id, usedAt) {
      await writer.run({ kind: 'record-use', id, usedAt: usedAt.getTime() });
    },
  };
}

export function toApiKey(row: KeyRow): ApiKey {
  const { isReadOnly, createdAt, expiresAt, revokedAt, replacedBy, lastUsedAt, ...others } = row;
  return {
    ...others,
    isReadOnly: isReadOnly === 1,
    createdAt: new Date(createdAt),
    ...(expiresAt !== null && { expiresAt: new Date(expiresAt) }),
    ...(revokedAt !== null && { revokedAt: new Date(revokedAt) }),
    ...(replacedBy !== null && { replacedBy }),
    ...(lastUsedAt !== null && { lastUsedAt: new Date(lastUsedAt) }),
  };
}
