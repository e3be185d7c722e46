import { PetstoreError } from '../error.ts';

/** 1 to 255 visible characters, bare or in quotes. Two headers arrive joined by ", " and do not match. */
const form = /^(?:"([!#-~]{1,255})"|([!#-~][!-~]{0,254}))$/;

/** Reads the optional `Idempotency-Key` of a create. */
export function parseIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, quoted, bare] = form.exec(header) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) {
    throw new PetstoreError(
      'invalid_parameter',
      'Idempotency-Key must be given once, as 1 to 255 visible ASCII characters.',
    );
  }
  return key;
}
