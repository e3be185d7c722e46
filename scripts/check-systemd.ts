// Checks the units of deploy/systemd with systemd's own tools, then boots a systemd in a container and runs them there.
//   bun scripts/check-systemd.ts [EXECUTABLE]      needs: apt-get install systemd podman mmdebstrap
// Where podman's defaults do not work, as in a sandbox, CONTAINERS_CONF names a file with others.
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../test/support/process/process.ts';
import { report, run } from './deploy/run.ts';
import { bootMachine, installTls, installUnits } from './deploy/systemd.ts';
import { checkJobs, checkService, checkTls, prepare } from './deploy/units-at-work.ts';

/** In tenths, as `systemd-analyze security` takes it. */
const highestExposure = 20;
const jobs = ['petstore-backup', 'petstore-rehearse', 'petstore-backups-check'];
const units = ['petstore.service', ...jobs.map((job) => `${job}.service`)];
const timers = jobs.map((job) => `${job}.timer`);

using folder = makeFolder();
const executable = process.argv[2] ?? join(folder.path, 'petstore');
if (process.argv[2] === undefined) {
  await run([process.execPath, join(import.meta.dir, 'build.ts'), executable]);
}

const root = join(folder.path, 'root');
installUnits(root, executable);
// What the units refer to: targets of systemd, and kill(1).
cpSync('/usr/lib/systemd/system', join(root, 'usr/lib/systemd/system'), { recursive: true });
symlinkSync('usr/lib', join(root, 'lib'));
cpSync('/bin/kill', join(root, 'bin/kill'));
await analyze();
installTls(root);
await analyze();
report('the same holds with tls.conf');

await using machine = await bootMachine(folder.path, `petstore-check-${process.pid}`, executable);
await prepare(machine);
await checkService(machine);
await checkJobs(machine);
await checkTls(machine);

async function analyze(): Promise<void> {
  const complaints = await run(['systemd-analyze', 'verify', `--root=${root}`, ...units, ...timers]);
  if (complaints !== '') throw new Error(complaints);
  report('systemd-analyze verify accepts every unit');
  for (const unit of units) {
    const flags = ['--offline=true', `--root=${root}`, `--threshold=${highestExposure}`, '--no-pager'];
    const said = await run(['systemd-analyze', 'security', ...flags, unit]);
    report(said.split('\n').at(-1)?.replace(/^\W+/, '') ?? '');
  }
}
