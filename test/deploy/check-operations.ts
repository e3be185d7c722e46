// Runs the commands of docs/operations.md, and of the move in docs/scale.md, with a release of the current commit on a
// Debian of its own whose first process is systemd. Then checks what systemd says of the units and does with a service
// that fails.
//   bun test/deploy/check-operations.ts      needs root, and: apt-get install podman mmdebstrap openssl
// Where podman's defaults do not work, as in a sandbox, CONTAINERS_CONF names a file with others: default_ulimits, for
// example, where it may not set its own.
// Where it refuses hybrid cgroups: unshare --mount sh -ec 'umount /sys/fs/cgroup/unified; npm run check:operations'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf, project, runToEnd, type Ended } from '../../scripts/command.ts';
import { makeRelease } from '../../scripts/release/artifacts.ts';
import { host, type Platform } from '../../scripts/release/platforms.ts';
import { readSource } from '../../scripts/release/source.ts';
import { importRoot } from './base-image.ts';
import { report, say, untilTrue } from './report.ts';

const packages =
  'systemd-sysv,sudo,curl,ca-certificates,openssl,procps,prometheus,prometheus-node-exporter,postgresql';
if (!host) throw new Error('A release has an executable for Linux alone, on x64 and arm64.');
const { name: platform } = host;
const certify =
  'openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=pets.example ' +
  '-addext subjectAltName=DNS:pets.example -keyout key.pem -out cert.pem';
const name = `petstore-operations-${process.pid}`;
const image = `localhost/${name}`;

const source = await readSource();
const folder = mkdtempSync(join(tmpdir(), 'petstore-operations-'));
using cleanUp = new DisposableStack();
cleanUp.defer(() => rmSync(folder, { recursive: true }));
const root = join(folder, 'root');
const released = join(root, 'srv/release');
await makeRoot(host);
try {
  await boot();
  const { definitions, apiKey, forPostgres } = await runDocument();
  for (const [what, script] of checksWith(apiKey, forPostgres)) {
    const { status, stdout, stderr } = await shell(definitions + script);
    if (status !== 0) throw new Error(`It is not true that ${what}:\n${stdout}${stderr}`);
    report(what);
  }
} finally {
  await podman('rm', '--force', '--ignore', '--time', '0', name);
  await podman('rmi', '--force', '--ignore', image);
}

async function runDocument(): Promise<{ definitions: string; apiKey: string; forPostgres: string }> {
  let [definitions, apiKey, forPostgres] = ['', '', ''];
  const document = await Bun.file(join(project, 'docs/operations.md')).text();
  for (const [, block = ''] of document.matchAll(/^```sh\n(.*?)^```/gms)) {
    const title = block.split('\n').at(0);
    if (block.startsWith('npm run build\n')) {
      say(`left out, because the machine has no Node: ${title}`);
      continue;
    }
    if (/s3/i.test(block)) {
      say(`left out, because the machine has no bucket: ${title}`);
      continue;
    }
    if (/caddy|nginx/.test(block)) {
      say(`left out, because the service itself has port 443: ${title}`);
      continue;
    }
    if (/petstore-dump\.|-u postgres/.test(block)) {
      say(`kept for later, because the store is embedded: ${title}`);
      forPostgres += block;
      continue;
    }
    // The document names one platform, which may be another than this.
    const text = block.replace('pets_…', apiKey).replaceAll('linux-x64', platform);
    const { status, stdout, stderr } = await shell(definitions + text);
    // A search of the journal ends with 1 when there is nothing to find.
    const isFine = status === 0 || (status === 1 && block.startsWith('journalctl'));
    if (!isFine) throw new Error(`This ended with ${status}:\n${block}\n${stdout}${stderr}`);
    report(`${title}`);
    // Later blocks need this function in their shell.
    if (block.startsWith('petstore() {')) definitions = block;
    apiKey = /pets_[0-9A-Za-z]{36}/.exec(stdout.slice(stdout.lastIndexOf('Key ')))?.[0] ?? apiKey;
  }
  return { definitions, apiKey, forPostgres };
}

/** What the document does not show. The last one leaves a service that does not start. */
function checksWith(apiKey: string, forPostgres: string): [what: string, script: string][] {
  const certificate = 'openssl x509 -noout -serial';
  return [
    [
      'systemd-analyze verify accepts every unit',
      'cd /etc/systemd/system; test -z "$(systemd-analyze verify petstore*.service petstore*.timer 2>&1)"',
    ],
    [
      'no unit is exposed above 2.0',
      'cd /etc/systemd/system; for unit in petstore*.service; do systemd-analyze security --threshold=20 ${unit/@/@unit}; done',
    ],
    [
      'a service that is killed is started again, with its pets',
      `systemctl kill --signal=SIGKILL petstore; petstore health --wait 60s
       curl --fail -H 'Authorization: Bearer ${apiKey}' https://pets.example/v1/pets | grep '"Rex"'`,
    ],
    [
      'a search by name works within the limits of the unit',
      `curl --fail -H 'Authorization: Bearer ${apiKey}' 'https://pets.example/v1/pets/search?q=rex' | grep '"Rex"'`,
    ],
    [
      'a restart serves a new certificate',
      `${certify}; install -m 600 -o petstore cert.pem key.pem /etc/petstore/tls/; systemctl restart petstore
       openssl s_client -connect 127.0.0.1:443 </dev/null 2>/dev/null | ${certificate} >served
       ${certificate} -in cert.pem | cmp - served`,
    ],
    [
      'the service stops by itself in time',
      'systemctl stop petstore; systemctl show petstore | grep -cxE "Result=success|ActiveState=inactive" | grep -x 2',
    ],
    [
      'the store moves to PostgreSQL with its pets and keys',
      `systemctl start petstore; ${commandsOfMove()}
       curl --fail -H 'Authorization: Bearer ${apiKey}' https://pets.example/v1/pets | grep '"Rex"'; systemctl stop petstore`,
    ],
    [
      'a database is dumped, the dump is read back and restored, and a dump that fails leaves the time of the last',
      `rm /var/lib/prometheus/node-exporter/petstore-backups.prom
       ${forPostgres}
       systemctl stop petstore
       cp /var/lib/prometheus/node-exporter/petstore-backups.prom before; sudo -u postgres dropdb --force petstore
       if systemctl start petstore-dump.service; then exit 1; fi
       cmp before /var/lib/prometheus/node-exporter/petstore-backups.prom`,
    ],
    [
      'a mistake in the settings ends it for good, and the address for failures hears of it',
      `echo ALERT_URL=http://127.0.0.1:8099/ >/etc/petstore/alerts.env
       systemd-run systemd-socket-activate --inetd --accept --listen=127.0.0.1:8099 -- \
         sh -c 'timeout 2 cat >/srv/release/heard; printf "HTTP/1.1 204 No Content\\r\\n\\r\\n"'
       echo LOG_LEVEL=none >>/etc/petstore/petstore.env; systemctl start petstore || true
       for second in $(seq 60); do systemctl is-failed petstore && break; sleep 1; done
       systemctl show petstore | grep -cxE "ActiveState=failed|NRestarts=0|ExecMainStatus=2" | grep -x 3
       for second in $(seq 30); do grep -s 'petstore.service has failed on' heard && break; sleep 1; done
       grep 'petstore.service has failed on' heard`,
    ],
  ];
}

/** As docs/scale.md has them, for a server on this machine. */
function commandsOfMove(): string {
  const page = readFileSync(join(project, 'docs/scale.md'), 'utf8');
  const [, section = ''] = /^## Move to PostgreSQL$(.*?)^## /ms.exec(page) ?? [];
  return Array.from(section.matchAll(/^```sh\n(.*?)^```/gms), ([, block = '']) => block)
    .join('')
    .replaceAll(
      'db.example/petstore?sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt',
      '127.0.0.1/petstore?sslmode=disable',
    );
}

/** A small Debian, with a release and a certificate for pets.example in it. */
async function makeRoot(own: Platform): Promise<void> {
  await outputOf(['mmdebstrap', '--variant=minbase', '--quiet', `--include=${packages}`, 'bookworm', root]);
  await makeRelease(released, source, [own]);
  await outputOf(['sh', '-ec', `cd '${released}'; ${certify}`]);
  // A container shares the kernel's settings with this machine, and must leave them alone.
  symlinkSync('/dev/null', join(root, 'etc/systemd/system/systemd-sysctl.service'));
}

/** Starts it without a network but for its own loopback. */
async function boot(): Promise<void> {
  await importRoot(root, image);
  const options = ['--systemd=always', '--privileged', '--network=none', '--add-host=pets.example:127.0.0.1'];
  await podman('run', '--detach', '--name', name, ...options, image, '/sbin/init');
  await untilTrue('systemd has booted', async () =>
    /running|degraded/.test((await shell('systemctl is-system-running')).stdout),
  );
}

function podman(...args: string[]): Promise<string> {
  return outputOf(['podman', ...args]);
}

/** Runs a script as root in the folder of the release. */
function shell(script: string): Promise<Ended> {
  const certificate = '/srv/release/cert.pem';
  const trusted = [`--env=CURL_CA_BUNDLE=${certificate}`, `--env=NODE_EXTRA_CA_CERTS=${certificate}`];
  const settings = ['--workdir=/srv/release', ...trusted];
  return runToEnd(['podman', 'exec', ...settings, name, 'bash', '-ec', script]);
}
