import { X509Certificate } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';

export interface Certificate {
  cert: string;
  key: string;
  fingerprint: string;
}

/** Two that are signed by themselves for localhost and 127.0.0.1, valid until 2126. */
export const certificates = { first: read('localhost'), renewed: read('renewed') };

/** The files that a service reads its certificate from. */
export interface CertificateFiles {
  cert: string;
  key: string;
  /** The flags of `petstore serve`. */
  args: string[];
  install(certificate: Pick<Certificate, 'cert' | 'key'>): void;
}

export function placeCertificate(folder: string, first: Certificate): CertificateFiles {
  const cert = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  const install: CertificateFiles['install'] = (next) => {
    replaceFile(cert, next.cert);
    replaceFile(key, next.key);
  };
  install(first);
  return { cert, key, args: ['--tls-cert', cert, '--tls-key', key], install };
}

/** The fingerprint of the certificate that a new connection gets; undefined when nobody listens. */
export function servedFingerprint(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    // The certificates of the tests are signed by nobody.
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
}

function read(name: string): Certificate {
  const text = (file: string) => readFileSync(new URL(`../../fixtures/${file}`, import.meta.url), 'utf8');
  const cert = text(`${name}.pem`);
  return { cert, key: text(`${name}-key.pem`), fingerprint: new X509Certificate(cert).fingerprint256 };
}

function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
