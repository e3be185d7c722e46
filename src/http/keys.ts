import { cacheable } from './conditional.ts';
import type { Handler } from './route.ts';

/** Describes the caller's own key. A key from API_KEYS has no createdAt or expiresAt. */
export const getKey: Handler = ({ caller: { name, isReadOnly, createdAt, expiresAt } }) =>
  cacheable(JSON.stringify({ name, readOnly: isReadOnly, createdAt, expiresAt }));
