import { type ApiKey, isUsable } from '../../domain/api-key.ts';
import type { ApiKeyStore } from '../store.ts';
import { columnsOf, type KeyRow, keyTable, toMs } from '../tables.ts';
import { createReads } from './reads.ts';
import type { Sql } from './sessions.ts';

const keyColumns = columnsOf(keyTable).join(', ');
const selectByHash = {
  name: 'select-keys',
  text: `SELECT place::integer, ${keyColumns}
    FROM unnest($1::text[]) WITH ORDINALITY AS asked (hash, place) JOIN api_keys USING (hash)`,
};
const selectById = { name: 'select-key', text: `SELECT ${keyColumns} FROM api_keys WHERE id::text = $1` };
const selectAll = {
  name: 'select-all-keys',
  text: `SELECT ${keyColumns} FROM api_keys ORDER BY api_keys.id`,
};
const advice = 'See: petstore keys list';
const insertKey = {
  name: 'insert-key',
  text: `INSERT INTO api_keys (name, hash, last_four, read_only, no_delete, created_at, expires_at)
    VALUES ($1, $2, $3, $4::boolean, $5::boolean, $6::bigint, $7::bigint) RETURNING ${keyColumns}`,
};
const revokeKey = {
  name: 'revoke-key',
  text: 'UPDATE api_keys SET revoked_at = least(revoked_at, $2::bigint) WHERE id::text = $1',
};
const recordUse = {
  name: 'record-use',
  text: `UPDATE api_keys SET last_used_at = $2::bigint
    WHERE id::text = $1 AND coalesce(last_used_at, 0) < $2::bigint`,
};

/**
 * A change of a key takes effect within a second, so keys are used from memory for less. While there are requests, all
 * of them are read again before that.
 */
const confirmedForMs = 800;
const confirmAfterMs = 400;

export function createKeyStore(sql: Sql, now: () => number): ApiKeyStore {
  const usableKey = (row: KeyRow | undefined): ApiKey | undefined => {
    const key = row && keyTable.parse(row);
    return key && isUsable(key, now()) ? key : undefined;
  };
  /** One query for all waiting requests, so that a flood of wrong keys takes one session. */
  const readKey = createReads(sql, {
    statement: selectByHash,
    valuesOf: (hash: string) => [hash],
    resultOf: usableKey,
  });

  /** The usable keys that were asked for, by hash. */
  const kept = new Map<string, ApiKey>();
  let sentAt = -Infinity;
  let confirmedAt = -Infinity;
  let isConfirming = false;

  const confirm = async (): Promise<void> => {
    isConfirming = true;
    const startedAt = (sentAt = performance.now());
    try {
      const rows = await sql.read<KeyRow>(selectByHash, [[...kept.keys()]]);
      kept.clear();
      for (const key of rows.map(usableKey)) if (key) kept.set(key.hash, key);
      confirmedAt = startedAt;
    } catch {
      // Until the next attempt succeeds, every request reads its own key.
    }
    isConfirming = false;
  };

  const read = async (hash: string): Promise<ApiKey | undefined> => {
    const before = sentAt;
    const key = await readKey(hash);
    // A confirmation sent in the meantime is newer than this key and does not cover it.
    if (key && sentAt === before) kept.set(hash, key);
    return key;
  };

  return {
    findKey(hash) {
      const age = performance.now() - confirmedAt;
      if (age > confirmAfterMs && !isConfirming) void confirm();
      const key = age < confirmedForMs ? kept.get(hash) : undefined;
      return key && isUsable(key, now()) ? key : read(hash);
    },

    async listKeys() {
      return (await sql.read<KeyRow>(selectAll)).map(keyTable.parse);
    },

    async createKey({ name, hash, lastFour, isReadOnly, mayDelete, createdAt, expiresAt }) {
      const times = [createdAt.getTime(), toMs(expiresAt)];
      const values = [name, hash, lastFour, isReadOnly, !mayDelete, ...times];
      const [row] = await sql.write((query) => query<KeyRow>(insertKey, values), advice);
      if (!row) throw new Error('INSERT … RETURNING gave no row.');
      return keyTable.parse(row);
    },

    async revokeKey(id, revokedAt) {
      await sql.write(async (query) => void query(revokeKey, [id, revokedAt.getTime()]), advice);
      kept.clear();
      const [row] = await sql.read<KeyRow>(selectById, [id]);
      return row && keyTable.parse(row);
    },

    async recordUse(id, usedAt) {
      await sql.write(async (query) => void query(recordUse, [id, usedAt.getTime()]));
    },
  };
}
