import { describeKey, isUsable, type ApiKey } from '../../domain/api-key.ts';
import { renderTable } from '../terminal/output.ts';

/** A key as JSON shows it. */
export function shownKey(key: ApiKey, now: Date) {
  return {
    id: key.id,
    name: key.name,
    key: describeKey(key.lastFour),
    state: isUsable(key, now.getTime()) ? 'active' : key.revokedAt ? 'revoked' : 'expired',
    readOnly: key.isReadOnly,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    replacedBy: key.replacedBy ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

export type ShownKey = ReturnType<typeof shownKey>;

/** Keys as a table for a terminal. */
export function renderKeys(keys: ShownKey[]): string {
  return renderTable([headings, ...keys.map(cellsOf)]);
}

const headings = ['ID', 'NAME', 'KEY', 'RIGHTS', 'STATE', 'CREATED (UTC)', 'EXPIRES', 'LAST USED'];

function cellsOf(shown: ShownKey): string[] {
  const { id, name, key, readOnly, state, createdAt, expiresAt, replacedBy, lastUsedAt } = shown;
  const minutes = [createdAt, expiresAt, lastUsedAt].map(
    (time) => time?.slice(0, 16).replace('T', ' ') ?? '-',
  );
  const successor = replacedBy === null ? '' : `, replaced by ${replacedBy}`;
  return [id, name, key, readOnly ? 'read' : 'all', `${state}${successor}`, ...minutes];
}
