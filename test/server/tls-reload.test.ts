import { describe, expect, it } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { certificates, placeCertificate, servedFingerprint } from '../support/http/certificates.ts';
import { openConnection, type RawConnection } from '../support/http/raw-http.ts';
import { metricsUrls, scrape } from '../support/metrics/scrape.ts';
import { fixedKey, makeFolder, runCli, startService, type Service } from '../support/process/process.ts';

const { first, renewed } = certificates;

for (const workers of [1, 2]) {
  describe(`SIGHUP to a service with TLS and --workers ${workers}`, () => {
    it('reloads the certificate, keeps the old one when the new one is bad, and asks callers to connect anew', async () => {
      using folder = makeFolder();
      const files = placeCertificate(folder.path, first);
      await using service = await startService({ workers, args: [...files.args, '--metrics-port', '0'] });
      const metrics = await metricsUrls(service, workers);
      const failedReloads = async () => (await scrape(...metrics)).value('petstore_tls_reload_failed');
      const expiries = async () =>
        (await scrape(...metrics)).value('petstore_tls_certificate_expiry_timestamp_seconds');
      expect(await expiries()).toBe(workers * expiryOf(first));
      using kept = await openConnection(service.url);
      expect(await fingerprints(service)).toEqual([first.fingerprint]);

      files.install(renewed);
      process.kill(service.pid, 'SIGHUP');
      expect(await untilAskedToLeave(kept)).toEqual(new Set([200]));
      await untilEach(service, '"TLS certificate reloaded"', workers);
      const [line = ''] = /^.*"TLS certificate reloaded".*$/m.exec(service.stdout) ?? [];
      expect(JSON.parse(line)).toMatchObject({
        level: 'info',
        file: files.cert,
        validUntil: expect.stringMatching(/^2126-/),
      });
      expect(await fingerprints(service)).toEqual([renewed.fingerprint]);
      expect(await expiries()).toBe(workers * expiryOf(renewed));
      expect(await failedReloads()).toBe(0);

      writeFileSync(files.cert, 'no certificate');
      process.kill(service.pid, 'SIGHUP');
      await untilEach(service, '"level":"error"', workers);
      const [refusal = ''] = /^.*"level":"error".*$/m.exec(service.stdout) ?? [];
      expect(JSON.parse(refusal)).toMatchObject({
        message: 'The TLS certificate was not reloaded; the old one stays in use.',
        reason: `${files.cert} and ${files.key} are not a certificate and its private key in PEM form.`,
        remedy: 'Check both files. Then send SIGHUP again.',
      });
      expect(await failedReloads()).toBe(workers);
      expect(await expiries()).toBe(workers * expiryOf(renewed));
      // What systemctl reload runs after the signal.
      expect(await runCli(['doctor', '--only-tls', ...files.args])).toMatchObject({ status: 1 });
      rmSync(files.cert);
      process.kill(service.pid, 'SIGHUP');
      await untilEach(service, 'cert\\.pem of --tls-cert cannot be read \\(ENOENT\\)\\."', workers);
      files.install({ cert: first.cert, key: renewed.key });
      process.kill(service.pid, 'SIGHUP');
      await untilEach(service, '"level":"error"', 3 * workers);
      expect(await fingerprints(service)).toEqual([renewed.fingerprint]);

      files.install(first);
      process.kill(service.pid, 'SIGHUP');
      await untilEach(service, '"TLS certificate reloaded"', 2 * workers);
      expect(await fingerprints(service)).toEqual([first.fingerprint]);
      expect(await failedReloads()).toBe(0);
      const { status, stdout } = await runCli(['doctor', '--only-tls', ...files.args]);
      expect(status).toBe(0);
      expect(stdout.match(/^(?:ok|warning) +\w+/gm)?.map((found) => found.split(/ +/)[1])).toEqual([
        ...['configuration', 'tls', 'tls'],
      ]);

      expect(await service.stop()).toBe(0);
      expect(service.stdout).not.toMatch(/were killed|were cut off|died/);
      expect(service.stdout.match(/"level":"error"/g)).toHaveLength(3 * workers);
    });
  });
}

it('refuses to share its port with another service, with TLS too', async () => {
  using folder = makeFolder();
  const { args } = placeCertificate(folder.path, first);
  await using service = await startService({ args });
  const { port } = new URL(service.url);
  const second = startService({ args: [...args, '--port', port] });
  expect(await second.catch(String)).toContain(`Port ${port} on 127.0.0.1 is taken.`);
});

function expiryOf({ cert }: { cert: string }): number {
  return new X509Certificate(cert).validToDate.getTime() / 1000;
}

/** Resolves once the pattern was logged so many times, as by each worker. */
async function untilEach(service: Service, pattern: string, times: number): Promise<void> {
  await service.untilLogged(new RegExp(`(${pattern}[^]*){${times}}`));
}

/** Every certificate that new connections get, with several workers too. */
async function fingerprints({ url }: Service): Promise<(string | undefined)[]> {
  const all = await Promise.all(Array.from({ length: 12 }, () => servedFingerprint(url)));
  return [...new Set(all)];
}

/** Calls until a response says `Connection: close`; the outcomes. Nothing more comes on that connection. */
async function untilAskedToLeave(connection: RawConnection | undefined): Promise<Set<unknown>> {
  const outcomes = new Set<unknown>();
  for (;;) {
    const response = await connection?.send('GET', '/v1/pets', { key: fixedKey });
    outcomes.add(response instanceof Response ? response.status : response);
    if (!(response instanceof Response)) return outcomes;
    if (response.headers.get('Connection') === 'close') break;
    await Bun.sleep(10);
  }
  expect(await connection?.receive()).toBe('unanswered');
  return outcomes;
}
