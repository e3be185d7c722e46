import { report, run } from './run.ts';

/** All that a hardened container runtime takes away; not even /tmp can be written to. */
const restrictions = [
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
];
const stopWithinSeconds = 30;

export interface Container {
  /** Runs `petstore` with these arguments in the container and returns what it printed. */
  petstore(...args: string[]): Promise<string>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the image on the network of this machine, so that neither a bridge nor a firewall is needed. */
export async function startContainer(image: string, name: string, options: string[]): Promise<Container> {
  const podman = (...args: string[]): Promise<string> => run(['podman', ...args]);
  const patience = ['--time', String(stopWithinSeconds)];
  await podman('run', '--detach', '--name', name, '--network=host', ...restrictions, ...options, image);
  return {
    petstore: (...args) => podman('exec', name, 'petstore', ...args),
    async restart() {
      await podman('restart', ...patience, name);
    },
    async stop() {
      await podman('stop', ...patience, name);
      const status = await podman('inspect', '--format', '{{.State.ExitCode}}', name);
      // 137 is that of a process that had to be killed.
      if (status !== '0') throw new Error(`The service ended with ${status}:\n${await podman('logs', name)}`);
      await podman('rm', '--volumes', name);
      report(`the container stops by itself within ${stopWithinSeconds} seconds`);
    },
  };
}

/** Runs one command in a container of its own. */
export async function runInImage(image: string, options: string[], command: string[]): Promise<string> {
  return run(['podman', 'run', '--rm', '--network=host', ...restrictions, ...options, image, ...command]);
}
