import { OperatorError } from '../domain/error.ts';
import { describeError, type Log } from '../domain/log.ts';
import { readFileOf } from '../system/files.ts';
import type { ServeOptions } from './options.ts';

export interface Tls {
  cert: string;
  key: string;
}

/** Puts a certificate to use for every connection to come. */
export type ReplaceTls = (tls: Tls) => Promise<void>;

export async function loadTls({ tlsCert, tlsKey }: ServeOptions): Promise<Tls | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const tls = { cert: readFileOf('--tls-cert', tlsCert), key: readFileOf('--tls-key', tlsKey) };
  // Loaded here because it takes long, and most services leave TLS to a proxy.
  const { createSecureContext } = await import('node:tls');
  try {
    createSecureContext(tls);
  } catch {
    throw new OperatorError(
      `${tlsCert} and ${tlsKey} are not a certificate and its private key in PEM form.`,
      'Check both files.',
    );
  }
  return tls;
}

/** Reads both files again at every SIGHUP, one after the other. */
export function reloadTlsOnHangup(options: ServeOptions, log: Log, replace: ReplaceTls): void {
  if (options.tlsCert === undefined) return;
  let reloading = Promise.resolve();
  process.on('SIGHUP', () => {
    reloading = reloading.then(() => reloadTls(options, log, replace));
  });
}

async function reloadTls(options: ServeOptions, log: Log, replace: ReplaceTls): Promise<void> {
  try {
    const tls = await loadTls(options);
    if (!tls) return;
    await replace(tls);
    const { X509Certificate } = await import('node:crypto');
    const { validToDate } = new X509Certificate(tls.cert);
    log.info('TLS certificate reloaded', { file: options.tlsCert, validUntil: validToDate.toISOString() });
  } catch (error) {
    log.error('The TLS certificate was not reloaded; the old one stays in use.', logFieldsOf(error));
  }
}

function logFieldsOf(error: unknown) {
  return error instanceof OperatorError
    ? { reason: error.problem, remedy: `${error.remedy ?? ''} Then send SIGHUP again.`.trim() }
    : { error: describeError(error) };
}
