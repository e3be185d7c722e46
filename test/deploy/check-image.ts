// Builds deploy/Dockerfile on a base made from this machine, since a registry may be out of reach, and runs the image
// read-only, without rights and not as root. Leaves nothing behind.
//   bun test/deploy/check-image.ts        needs: apt-get install podman mmdebstrap
// Where podman's defaults do not work, as in a sandbox, CONTAINERS_CONF names a file with others: default_ulimits, for
// example, where it may not set its own.
// Where it refuses hybrid cgroups: unshare --mount sh -ec 'umount /sys/fs/cgroup/unified; npm run check:image'
import { join } from 'node:path';
import { outputOf, project } from '../../scripts/command.ts';
import { freePort } from '../support/http/free-port.ts';
import { makePostgresPlace } from '../support/postgres/place.ts';
import { makeFolder } from '../support/process/process.ts';
import { makeNodeImage } from './base-image.ts';
import { report, untilTrue } from './report.ts';

/** All that a hardened container runtime takes away; not even /tmp can be written to. */
const restrictions = [
  // The network of this machine, so that neither a bridge nor a firewall is needed.
  ...['--network=host', '--read-only', '--read-only-tmpfs=false'],
  ...['--cap-drop=all', '--security-opt=no-new-privileges'],
];
const stopWithinSeconds = 30;
const patience = ['--time', String(stopWithinSeconds)];
const largestBytes = 150_000_000;
const name = `petstore-check-${process.pid}`;
const image = `localhost/${name}`;
const sandboxImage = `localhost/${name}-sandbox`;
const nodeImage = `localhost/${name}-node`;
const backupVolume = `${name}-backups`;
const volumes = [`${name}:/var/lib/petstore`, `${backupVolume}:/var/lib/petstore-backups`].flatMap(
  (volume) => ['--volume', volume],
);

using folder = makeFolder();
try {
  await makeNodeImage(folder.path, nodeImage);
  report('a base is made of Debian and the Node of this machine');
  await build(image);
  await build(sandboxImage, '--target', 'sandbox');
  await checkSize();
  await checkEmbedded();
  await checkPostgres();
  await checkSandbox();
} finally {
  await podman('rm', '--force', '--ignore', '--volumes', '--time', '0', name);
  await podman('volume', 'rm', '--force', name, backupVolume);
  await podman('rmi', '--force', '--ignore', image, sandboxImage, nodeImage);
}
// The database server lives as long as this process.
process.exit();

async function build(tag: string, ...target: string[]): Promise<void> {
  const options = ['--format=docker', '--layers=false', '--isolation=chroot', '--network=host'];
  const base = ['--build-arg', `NODE_IMAGE=${nodeImage}`];
  const dockerfile = join(project, 'deploy/Dockerfile');
  await podman('build', '--quiet', ...options, ...base, ...target, '-f', dockerfile, '-t', tag, project);
  report(`podman builds ${tag}`);
}

async function checkSize(): Promise<void> {
  const size = Number(await podman('image', 'inspect', '--format', '{{.Size}}', image));
  if (!(size < largestBytes)) throw new Error(`The image has ${size} bytes.`);
  report(`the image has ${(size / 1e6).toFixed(1)} MB`);
}

async function checkEmbedded(): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const key = await createKey(volumes);
  await startContainer(port, ...volumes);
  await untilReady(url);
  await podman('healthcheck', 'run', name);
  report('the service runs read-only, and the health check passes');
  const users = await podman('top', name, 'huser');
  if (!/^HUSER(?:\s+65532)+$/.test(users)) throw new Error(`The service runs as:\n${users}`);
  const written = await podman('exec', name, 'petstore', 'backup', '/pets.db').catch(String);
  if (!written.includes('read-only file system'))
    throw new Error(`A write to the root file system was not refused:\n${written}`);
  report('no process is root, and the root file system cannot be written to');
  await createAndList(url, key, [], 'Rex');
  await podman('restart', ...patience, name);
  await untilReady(url);
  await createAndList(url, key, ['Rex'], 'Tom');
  report('creates and lists work, and a restart keeps the pets');
  await podman('exec', name, 'petstore', 'backup', '/var/lib/petstore-backups/', '--keep', '7d');
  report('a backup is made while the service runs');
  await stopContainer();
}

async function checkPostgres(): Promise<void> {
  const { address } = await makePostgresPlace();
  const port = await freePort();
  const store = ['--env', `DATABASE_URL=${address}`];
  const key = await createKey(store);
  await startContainer(port, ...store);
  await untilReady(`http://127.0.0.1:${port}`);
  await createAndList(`http://127.0.0.1:${port}`, key, [], 'Rex');
  report('the same image serves from PostgreSQL');
  await stopContainer();
}

async function checkSandbox(): Promise<void> {
  const port = await freePort();
  // The last --port counts. The store of the sandbox is in /tmp.
  const command = ['--port', String(port)];
  const tmp = ['--tmpfs', '/tmp'];
  await podman('run', '--detach', '--name', name, ...restrictions, ...tmp, sandboxImage, ...command);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url);
  const headers = { Authorization: 'Bearer sandbox-key' };
  const pets = (await (await fetch(`${url}/v1/pets?limit=100`, { headers })).json()) as unknown[];
  if (pets.length !== 100) throw new Error(`The sandbox has ${pets.length} pets.`);
  report('the image of the sandbox serves its sample pets');
  await stopContainer();
}

/** Before the first start, which would otherwise leave a key in the log of the container. */
async function createKey(options: string[]): Promise<string> {
  const command = ['keys', 'create', '--name', 'till-1', '--json'];
  const created = await podman('run', '--rm', ...restrictions, ...options, image, ...command);
  return (JSON.parse(created) as { key: string }).key;
}

async function startContainer(port: number, ...options: string[]): Promise<void> {
  const settings = ['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1'];
  await podman('run', '--detach', '--name', name, ...restrictions, ...settings, ...options, image);
}

async function stopContainer(): Promise<void> {
  await podman('stop', ...patience, name);
  const status = await podman('inspect', '--format', '{{.State.ExitCode}}', name);
  // 137 is that of a process that had to be killed.
  if (status !== '0') throw new Error(`The service ended with ${status}:\n${await podman('logs', name)}`);
  await podman('rm', '--volumes', name);
  report(`the container stops by itself within ${stopWithinSeconds} seconds`);
}

function podman(...args: string[]): Promise<string> {
  return outputOf(['podman', ...args]);
}

async function untilReady(url: string): Promise<void> {
  await untilTrue('the service is ready', async () => (await fetch(`${url}/readyz`)).ok);
}

/** Creates a pet, and expects the list to hold it after the pets that were there. */
async function createAndList(url: string, key: string, before: string[], pet: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: pet, categoryId: 1, status: 'available' });
  const created = await fetch(`${url}/v1/pets`, { method: 'POST', headers, body });
  if (created.status !== 201) throw new Error(`A create gets ${created.status}: ${await created.text()}`);
  const listed = (await (await fetch(`${url}/v1/pets`, { headers })).json()) as { name: string }[];
  const names = listed.map((each) => each.name).join();
  if (names !== [...before, pet].join()) throw new Error(`The list holds ${names}.`);
}
