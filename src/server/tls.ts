import { X509Certificate } from 'node:crypto';
import { OperatorError } from '../domain/error.ts';
import { readFileOf } from '../system/files.ts';
import type { ServeOptions } from './options.ts';

export interface Tls {
  cert: string;
  key: string;
  expiresAt: Date;
}

export async function loadTls({ tlsCert, tlsKey }: ServeOptions): Promise<Tls | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const [cert, key] = [readFileOf('--tls-cert', tlsCert), readFileOf('--tls-key', tlsKey)];
  // Load it only here: it is slow, and most services leave TLS to a proxy.
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext({ cert, key });
    return { cert, key, expiresAt: new X509Certificate(cert).validToDate };
  } catch {
    throw new OperatorError(
      `${tlsCert} and ${tlsKey} are not a certificate and its private key in PEM form.`,
      'Check both files.',
    );
  }
}
