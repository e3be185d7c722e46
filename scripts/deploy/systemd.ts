import { copyFileSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { importRoot } from './base.ts';
import { run } from './run.ts';

const units = join(import.meta.dir, '../../deploy/systemd');

/** A machine of its own, in which systemd is the first process. */
export interface Machine extends AsyncDisposable {
  /** Runs a command as root and returns what it printed. */
  run(...command: string[]): Promise<string>;
  /** Runs a line of shell as root. */
  shell(line: string): Promise<string>;
}

/** Puts the units, the user and the settings where docs/operations.md does. */
export function installUnits(root: string, executable: string): void {
  const system = join(root, 'etc/systemd/system');
  for (const folder of [
    system,
    join(root, 'usr/local/bin'),
    join(root, 'etc/sysusers.d'),
    join(root, 'etc/petstore'),
  ]) {
    mkdirSync(folder, { recursive: true });
  }
  copyFileSync(executable, join(root, 'usr/local/bin/petstore'));
  for (const name of readdirSync(units).filter((each) => /\.(?:service|timer)$/.test(each))) {
    copyFileSync(join(units, name), join(system, name));
  }
  copyFileSync(join(units, 'petstore.sysusers'), join(root, 'etc/sysusers.d/petstore.conf'));
  copyFileSync(join(units, 'petstore.env'), join(root, 'etc/petstore/petstore.env'));
}

export function installTls(root: string): void {
  const dropIns = join(root, 'etc/systemd/system/petstore.service.d');
  mkdirSync(dropIns, { recursive: true });
  copyFileSync(join(units, 'tls.conf'), join(dropIns, 'tls.conf'));
}

/** Boots a small Debian with the units in a container without a network. */
export async function bootMachine(folder: string, name: string, executable: string): Promise<Machine> {
  const image = `localhost/${name}`;
  const root = join(folder, 'machine');
  await run([
    'mmdebstrap',
    '--variant=minbase',
    '--quiet',
    '--include=systemd-sysv,procps,sudo,openssl,curl',
    'bookworm',
    root,
  ]);
  installUnits(root, executable);
  cpSync(join(units, 'tls.conf'), join(root, 'srv/tls.conf'));
  // The container shares the kernel's settings with this machine, and must leave them alone.
  symlinkSync('/dev/null', join(root, 'etc/systemd/system/systemd-sysctl.service'));
  await importRoot(root, image);
  const machine: Machine = {
    run: (...command) => run(['podman', 'exec', name, ...command]),
    shell: (line) => run(['podman', 'exec', name, 'sh', '-ec', line]),
    async [Symbol.asyncDispose]() {
      await run(['podman', 'rm', '--force', '--ignore', '--volumes', '--time', '0', name]);
      await run(['podman', 'rmi', '--force', '--ignore', image]);
    },
  };
  const options = ['--systemd=always', '--privileged', '--network=none'];
  try {
    await run(['podman', 'run', '--detach', '--name', name, ...options, image, '/sbin/init']);
  } catch (error) {
    // A container that did not start is there all the same.
    await machine[Symbol.asyncDispose]();
    throw error;
  }
  return machine;
}
