// Builds deploy/Dockerfile on a base made from this machine, since a registry may be out of reach, and runs the image
// read-only, without rights and not as root. Leaves nothing behind.
//   bun scripts/check-image.ts        needs: apt-get install podman mmdebstrap
// Where podman's defaults do not work, as in a sandbox, CONTAINERS_CONF names a file with others.
import { join } from 'node:path';
import { freePort } from '../test/support/http/free-port.ts';
import { makePostgresPlace } from '../test/support/postgres/place.ts';
import { makeFolder } from '../test/support/process/process.ts';
import { makeNodeImage } from './deploy/base.ts';
import { createAndList, untilReady } from './deploy/calls.ts';
import { runInImage, startContainer } from './deploy/container.ts';
import { report, run } from './deploy/run.ts';

const largestBytes = 150_000_000;
const name = `petstore-check-${process.pid}`;
const image = `localhost/${name}`;
const nodeImage = `localhost/${name}-node`;
const backupVolume = `${name}-backups`;
const volumes = [`${name}:/var/lib/petstore`, `${backupVolume}:/var/lib/petstore-backups`].flatMap(
  (volume) => ['--volume', volume],
);

using folder = makeFolder();
try {
  await makeNodeImage(folder.path, nodeImage);
  report('a base is made of Debian and the Node of this machine');
  await build();
  await checkSize();
  await checkEmbedded();
  await checkPostgres();
} finally {
  await run(['podman', 'rm', '--force', '--ignore', '--volumes', '--time', '0', name]);
  await run(['podman', 'volume', 'rm', '--force', name, backupVolume]);
  await run(['podman', 'rmi', '--force', '--ignore', image, nodeImage]);
}
// The database server lives as long as this process.
process.exit();

async function build(): Promise<void> {
  const project = join(import.meta.dir, '..');
  const options = ['--format=docker', '--layers=false', '--isolation=chroot', '--network=host'];
  const base = ['--build-arg', `NODE_IMAGE=${nodeImage}`];
  const dockerfile = join(project, 'deploy/Dockerfile');
  await run(['podman', 'build', '--quiet', ...options, ...base, '-f', dockerfile, '-t', image, project]);
  report('podman builds the image');
}

async function checkSize(): Promise<void> {
  const size = Number(await run(['podman', 'image', 'inspect', '--format', '{{.Size}}', image]));
  if (!(size < largestBytes)) throw new Error(`The image has ${size} bytes.`);
  report(`the image has ${(size / 1e6).toFixed(1)} MB`);
}

async function checkEmbedded(): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const key = await createKey(volumes);
  const container = await startContainer(image, name, [
    ...volumes,
    ...['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1', '--env', 'WORKERS=2'],
  ]);
  await untilReady(url);
  await run(['podman', 'healthcheck', 'run', name]);
  report('the service runs read-only with two workers, and the health check passes');
  const users = await run(['podman', 'top', name, 'huser']);
  if (!/^HUSER(?:\s+65532)+$/.test(users)) throw new Error(`The service runs as:\n${users}`);
  const written = await container.petstore('export', '/pets.csv').catch(String);
  if (!written.includes('read-only file system'))
    throw new Error(`A write to the root file system was not refused:\n${written}`);
  report('no process is root, and the root file system cannot be written to');
  await createAndList(url, key, [], 'Rex');
  await container.restart();
  await untilReady(url);
  await createAndList(url, key, ['Rex'], 'Tom');
  report('creates and lists work, and a restart keeps the pets');
  await container.petstore('backup', '/var/lib/petstore-backups/', '--keep', '7d');
  report('a backup is made while the service runs');
  await container.stop();
}

async function checkPostgres(): Promise<void> {
  const { address } = await makePostgresPlace();
  const port = await freePort();
  const store = ['--env', `DATABASE_URL=${address}`];
  const key = await createKey(store);
  const container = await startContainer(image, name, [
    ...store,
    ...['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1'],
  ]);
  await untilReady(`http://127.0.0.1:${port}`);
  await createAndList(`http://127.0.0.1:${port}`, key, [], 'Rex');
  report('the same image serves from PostgreSQL');
  await container.stop();
}

/** Before the first start, which would otherwise leave a key in the log of the container. */
async function createKey(options: string[]): Promise<string> {
  const created = await runInImage(image, options, ['keys', 'create', '--name', 'till-1', '--json']);
  return (JSON.parse(created) as { key: string }).key;
}
