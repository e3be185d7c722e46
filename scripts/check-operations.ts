// Runs the commands of docs/operations.md, unchanged, on a Debian of its own whose first process is systemd.
//   bun scripts/check-operations.ts      needs root, and: apt-get install podman mmdebstrap openssl
// Where podman's defaults do not work, as in a sandbox, CONTAINERS_CONF names a file with others.
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { run, type Ended } from '../test/support/process/package.ts';
import {
  isDefinition,
  isForClone,
  keyIn,
  operationsBlocks,
} from '../test/support/process/operations-document.ts';
import { makeFolder } from '../test/support/process/process.ts';
import { makeReleaseCopy } from '../test/support/process/release-copy.ts';
import { outputOf } from './command.ts';
import { host } from './release/platforms.ts';

const packages = 'systemd-sysv,sudo,curl,ca-certificates,procps,prometheus,prometheus-node-exporter';
const bootPatienceMs = 120_000;
if (!host) throw new Error('A release has an executable for Linux alone, on x64 and arm64.');
const { name: platform } = host;
const name = `petstore-operations-${process.pid}`;
const image = `localhost/${name}`;

using folder = makeFolder();
const root = join(folder.path, 'root');
const released = join(root, 'srv/release');
await makeRoot();
try {
  await boot();
  await runDocument();
} finally {
  await podman('rm', '--force', '--ignore', '--time', '0', name);
  await podman('rmi', '--force', '--ignore', image);
}

async function runDocument(): Promise<void> {
  let [definitions, apiKey] = ['', ''];
  for (const block of (await operationsBlocks()).filter(({ language }) => language === 'sh')) {
    const title = block.text.split('\n').at(0);
    if (isForClone(block)) {
      console.log(`left out, because the machine has no Node: ${title}`);
      continue;
    }
    if (/s3/i.test(block.text)) {
      console.log(`left out, because the machine has no bucket: ${title}`);
      continue;
    }
    // The document names one platform, which may be another than this.
    const text = block.text.replace('pets_…', apiKey).replaceAll('linux-x64', platform);
    const { status, stdout, stderr } = await shell(definitions + text);
    // A search of the journal ends with 1 when there is nothing to find.
    const isFine = status === 0 || (status === 1 && block.text.startsWith('journalctl'));
    if (!isFine) throw new Error(`This ended with ${status}:\n${block.text}\n${stdout}${stderr}`);
    console.log(`ok: ${title}`);
    if (isDefinition(block)) definitions = block.text;
    apiKey = keyIn(stdout) ?? apiKey;
  }
}

/** A small Debian, with a release and a certificate for pets.example in it. */
async function makeRoot(): Promise<void> {
  await outputOf(['mmdebstrap', '--variant=minbase', '--quiet', `--include=${packages}`, 'bookworm', root]);
  using clone = await makeReleaseCopy();
  const { status, stderr } = await clone.release('--only', platform);
  if (status !== 0) throw new Error(stderr);
  cpSync(join(clone.path, 'dist/release'), released, { recursive: true });
  const certify =
    'openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=pets.example ' +
    '-addext subjectAltName=DNS:pets.example -keyout key.pem -out cert.pem';
  await outputOf(['sh', '-ec', certify], { cwd: released });
  // A container shares the kernel's settings with this machine, and must leave them alone.
  symlinkSync('/dev/null', join(root, 'etc/systemd/system/systemd-sysctl.service'));
}

/** Starts it without a network but for its own loopback. */
async function boot(): Promise<void> {
  const archive = `${root}.tar`;
  // Device files cannot be made everywhere, and a container gets its own.
  await outputOf(['tar', '-C', root, '--exclude=./dev/*', '-cf', archive, '.']);
  await podman('import', '--quiet', archive, image);
  const options = ['--systemd=always', '--privileged', '--network=none', '--add-host=pets.example:127.0.0.1'];
  await podman('run', '--detach', '--name', name, ...options, image, '/sbin/init');
  const deadline = performance.now() + bootPatienceMs;
  while (!/running|degraded/.test((await shell('systemctl is-system-running')).stdout)) {
    if (performance.now() > deadline) throw new Error('The machine did not boot.');
    await Bun.sleep(500);
  }
}

function podman(...args: string[]): Promise<string> {
  return outputOf(['podman', ...args]);
}

/** Runs a script as root in the folder of the release. */
function shell(script: string): Promise<Ended> {
  const settings = ['--workdir=/srv/release', '--env=CURL_CA_BUNDLE=/srv/release/cert.pem'];
  return run(['podman', 'exec', ...settings, name, 'bash', '-ec', script], '/');
}
