import { X509Certificate } from 'node:crypto';
import { OperatorError } from '../domain/error.ts';
import { describeError, type Log } from '../domain/log.ts';
import type { Registry } from '../metrics/registry.ts';
import { readFileOf } from '../system/files.ts';
import type { ServeOptions } from './options.ts';

export interface Tls {
  cert: string;
  key: string;
  expiresAt: Date;
}

/** What has become of the certificate since the start. */
interface TlsReload {
  /** The one in use now, after a reload. */
  served?: Tls;
  hasFailed: boolean;
}

/** Puts a certificate to use for every connection to come. */
export type ReplaceTls = (tls: Tls) => Promise<void>;

export async function loadTls({ tlsCert, tlsKey }: ServeOptions): Promise<Tls | undefined> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  const [cert, key] = [readFileOf('--tls-cert', tlsCert), readFileOf('--tls-key', tlsKey)];
  // Loaded here because it takes long, and most services leave TLS to a proxy.
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

/** Reads both files again at every SIGHUP, one after the other. */
export function reloadTlsOnHangup(options: ServeOptions, log: Log, replace: ReplaceTls): TlsReload {
  const reload: TlsReload = { hasFailed: false };
  if (options.tlsCert === undefined) return reload;
  let reloading = Promise.resolve();
  process.on('SIGHUP', () => {
    reloading = reloading.then(() => reloadTls(options, log, replace, reload));
  });
  return reload;
}

async function reloadTls(options: ServeOptions, log: Log, replace: ReplaceTls, reload: TlsReload) {
  try {
    const tls = await loadTls(options);
    if (!tls) return;
    await replace(tls);
    reload.served = tls;
    reload.hasFailed = false;
    const validUntil = tls.expiresAt.toISOString();
    log.info('TLS certificate reloaded', { file: options.tlsCert, validUntil });
  } catch (error) {
    reload.hasFailed = true;
    log.error('The TLS certificate was not reloaded; the old one stays in use.', logFieldsOf(error));
  }
}

export function addTlsMetrics(registry: Registry, first: Tls, reload: TlsReload): void {
  registry.gauge(
    'petstore_tls_certificate_expiry_timestamp_seconds',
    'When the certificate in use expires.',
    () => (reload.served ?? first).expiresAt.getTime() / 1000,
  );
  registry.gauge('petstore_tls_reload_failed', 'Whether the last reload kept the old certificate.', () =>
    Number(reload.hasFailed),
  );
}

function logFieldsOf(error: unknown) {
  return error instanceof OperatorError
    ? { reason: error.problem, remedy: `${error.remedy ?? ''} Then send SIGHUP again.`.trim() }
    : { error: describeError(error) };
}
