import { isUsable, keyTable, type ApiKey, type ApiKeyStore, type KeyRow } from '../domain/api-key.ts';
import { columnsOf } from '../domain/table.ts';
import type { Batcher } from './batcher.ts';
import type { Statement, Values } from './sessions/session.ts';
import type { Sql } from './sql.ts';

const keyColumns = columnsOf(keyTable);
const selectUsable = {
  name: 'select-usable-keys',
  text: `SELECT ${keyColumns} FROM api_keys
    WHERE hash = ANY ($1::text[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2::bigint)`,
};
const selectById = { name: 'select-key', text: `SELECT ${keyColumns} FROM api_keys WHERE id::text = $1` };
const selectAll = {
  name: 'select-all-keys',
  text: `SELECT ${keyColumns} FROM api_keys ORDER BY api_keys.id`,
};
const advice = 'See: petstore keys list';
const insertKey = {
  name: 'insert-key',
  text: `INSERT INTO api_keys (name, hash, last_four, read_only, created_at, expires_at)
    VALUES ($1, $2, $3, $4::boolean, $5::bigint, $6::bigint) RETURNING ${keyColumns}`,
};
/** A replica of 1.1.0 keeps its keys until this version changes. */
const revokeKey = {
  name: 'revoke-key',
  text: `
    WITH revoked AS (
      UPDATE api_keys SET revoked_at = $2::bigint WHERE id::text = $1 AND revoked_at IS NULL RETURNING id
    )
    UPDATE key_changes SET version = version + 1 WHERE EXISTS (SELECT 1 FROM revoked)`,
};
const replaceKey = {
  name: 'replace-key',
  text: `
    WITH replaced AS (
      UPDATE api_keys SET replaced_by = $2::bigint, expires_at = least(expires_at, $3::bigint)
      WHERE id::text = $1 AND replaced_by IS NULL
        AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4::bigint)
      RETURNING id
    )
    UPDATE key_changes SET version = version + 1 WHERE EXISTS (SELECT 1 FROM replaced)`,
};
const recordUse = {
  name: 'record-use',
  text: `UPDATE api_keys SET last_used_at = $2::bigint
    WHERE id::text = $1 AND coalesce(last_used_at, 0) < $2::bigint`,
};

/**
 * A change of a key takes effect within a second, so a key is used from memory for less. One in use is read again
 * before that, in the background.
 */
const keptForMs = 800;
const readAgainAfterMs = 400;

interface KeptKey {
  key: ApiKey;
  /** When the read began. */
  readAt: number;
  isBeingRead: boolean;
}

export function createKeyStore(
  sql: Sql,
  finds: Batcher<string, ApiKey | undefined>,
  now: () => number,
): ApiKeyStore {
  const keptByHash = new Map<string, KeptKey>();

  const read = async (hash: string): Promise<ApiKey | undefined> => {
    const readAt = performance.now();
    const key = await finds.add(hash);
    if (key) keptByHash.set(hash, { key, readAt, isBeingRead: false });
    else keptByHash.delete(hash);
    return key;
  };

  const change = async (statement: Statement, id: string, ...values: Values): Promise<ApiKey | undefined> => {
    await sql.write(async (query) => void query(statement, [id, ...values]), advice);
    keptByHash.clear();
    const [row] = await sql.read<KeyRow>(selectById, [id]);
    return row && keyTable.parse(row);
  };

  return {
    findKey(hash) {
      const kept = keptByHash.get(hash);
      const age = kept ? performance.now() - kept.readAt : Infinity;
      if (!kept || age > keptForMs || !isUsable(kept.key, now())) return read(hash);
      if (age > readAgainAfterMs && !kept.isBeingRead) {
        kept.isBeingRead = true;
        read(hash).catch(() => {});
      }
      return kept.key;
    },

    async listKeys() {
      return (await sql.read<KeyRow>(selectAll)).map(keyTable.parse);
    },

    async createKey({ name, hash, lastFour, isReadOnly, createdAt, expiresAt }) {
      const times = [createdAt.getTime(), expiresAt?.getTime() ?? null];
      const values = [name, hash, lastFour, isReadOnly, ...times];
      const [row] = await sql.write((query) => query<KeyRow>(insertKey, values), advice);
      if (!row) throw new Error('INSERT … RETURNING gave no row.');
      return keyTable.parse(row);
    },

    revokeKey: (id, revokedAt) => change(revokeKey, id, revokedAt.getTime()),

    replaceKey: (id, { replacedBy, expiresAt, now: at }) =>
      change(replaceKey, id, replacedBy, expiresAt.getTime(), at.getTime()),

    async recordUse(id, usedAt) {
      await sql.write(async (query) => void query(recordUse, [id, usedAt.getTime()]));
    },
  };
}

/** Looks up the keys of all waiting requests in one query, so that a flood of wrong keys takes one session. */
export async function findKeys(sql: Sql, hashes: string[], now: number): Promise<(ApiKey | undefined)[]> {
  const rows = await sql.read<KeyRow>(selectUsable, [hashes, now]);
  const keyByHash = new Map(rows.map((row) => [row.hash, keyTable.parse(row)]));
  return hashes.map((hash) => keyByHash.get(hash));
}
