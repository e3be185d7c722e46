import { toDate } from './pet.ts';

/** The API key of a client, as the service knows it. */
export interface Key {
  /** The operator's name for it. All fixed keys of a service are named `API_KEYS`. */
  name: string;
  /** Whether it may only list and fetch. */
  readOnly: boolean;
  mayDelete: boolean;
  /** Absent for a fixed key. */
  createdAt?: Date;
  /** Absent if it never expires. */
  expiresAt?: Date;
}

/** Reads a key from parsed JSON; undefined if the value is not a key. */
export function toKey(value: unknown): Key | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // A service without keys that may not delete does not send mayDelete.
  const { name, readOnly, mayDelete = !readOnly, createdAt, expiresAt } = value as Record<string, unknown>;
  if (typeof name !== 'string' || typeof readOnly !== 'boolean') return undefined;
  if (typeof mayDelete !== 'boolean') return undefined;
  const [created, expires] = [toDate(createdAt), toDate(expiresAt)];
  const times = { ...(created && { createdAt: created }), ...(expires && { expiresAt: expires }) };
  return { name, readOnly, mayDelete, ...times };
}
