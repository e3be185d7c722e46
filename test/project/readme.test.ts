import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject } from '../release/release-copy.ts';
import { startProgram, type RunningProgram } from '../support/process/running.ts';

/** The README's commands, run as a newcomer would: in a fresh copy of the project, with nothing installed. */

const project = join(import.meta.dir, '../..');
// A busy machine may take minutes to install.
const installTimeoutMs = 900_000;
let folder: string;

interface Running {
  address: string;
  output: () => string;
  stop: RunningProgram['stop'];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-readme-'));
  await copyProject(folder);
}, installTimeoutMs);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('README', () => {
  it('creates no file that git would add', () => {
    const made = ['data/petstore.db', 'pets.ndjson', 'backups/a.db'];
    const ignored = Bun.spawnSync(['git', 'check-ignore', ...made], { cwd: project });
    expect(ignored.stdout.toString().trim().split('\n')).toEqual(made);
  });

  it(
    'works from its first command to its last in a fresh clone',
    async () => {
      const readme = await readFile(join(project, 'README.md'), 'utf8');
      const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, text = '']) => ({
        language,
        text,
      }));
      const commands = blocks
        .filter(({ language }) => language === 'sh')
        .flatMap(({ text }) => text.replaceAll('\\\n', '').trim().split('\n'));
      expect(commands.length).toBeGreaterThan(5);

      const service = await start('npm start', { npm_config_strict_allow_scripts: 'true' });
      expect(service.output()).toContain('Installing packages');
      // The key is told to the person, on another stream than the log line that it is ready.
      while (!service.output().includes('curl')) await Bun.sleep(10);
      const apiKey = /pets_[0-9A-Za-z]{36}/.exec(service.output())?.[0] ?? '';
      const run = (command: string, { address }: Running = service) =>
        Bun.spawnSync(['sh', '-c', command.replaceAll('http://127.0.0.1:8080', address)], {
          cwd: folder,
          env: {
            ...process.env,
            API_KEY: apiKey,
            PORT: new URL(address).port,
          },
        });
      const isSandbox = (line: string) => / petstore-sandbox --seed/.test(line);
      const isServing = (line: string) => line.startsWith('npm start') || isSandbox(line);

      try {
        for (const command of commands.filter((line) => !isServing(line))) {
          const { exitCode, stdout, stderr } = run(command);
          expect(exitCode, `${command}\n${stderr.toString()}`).toBe(0);
          if (/PATCH|orders/.test(command)) expect(stdout.toString()).toContain('"status":"sold"');
          if (!command.includes(' -d ') || command.includes('PATCH')) continue;
          const shown = blocks.find(({ language }) => language === 'text')?.text.trim();
          expect(stdout.toString()).toBe(shown ?? '');
        }
        const [printedCall = ''] = /^ {2}curl .*$/m.exec(service.output()) ?? [];
        expect(run(printedCall).stdout.toString()).toContain('"name":"Rex"');
      } finally {
        expect(await service.stop()).toBe(0);
      }

      for (const command of commands.filter((line) => line.startsWith('npm start'))) {
        const variant = await start(command.replaceAll(/port \d+/g, 'port 0'));
        expect(await variant.stop(), command).toBe(0);
      }

      for (const command of commands.filter(isSandbox)) {
        const sandbox = await start(command);
        const call = `curl -f -H 'Authorization: Bearer sandbox-key' 'http://127.0.0.1:8080/v1/pets?limit=100'`;
        expect(JSON.parse(run(call, sandbox).stdout.toString())).toHaveLength(100);
        await sandbox.stop();
      }
    },
    installTimeoutMs,
  );

  it('works without the network once it is installed, and does not reinstall', async () => {
    const service = await start('npm start', {
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_offline: 'true',
    });
    expect(await service.stop()).toBe(0);
    expect(service.output()).not.toContain('Installing');
  });
});

/** Starts a command that serves and waits until it says that it is ready. */
async function start(command: string, environment: Record<string, string> = {}): Promise<Running> {
  const { stdout, stderr, ended, stop } = startProgram(['sh', '-c', `exec ${command}`], {
    cwd: folder,
    env: { ...process.env, PORT: '0', STOP_DELAY: '0', ...environment },
    longestLifeMs: installTimeoutMs,
  });
  const output = () => stdout.text + stderr.text;
  const early = ended.then(() => Promise.reject(new Error(`${command} ended early:\n${output()}`)));
  const ready = /(?:"message":"ready","address":"|Address: )([^"\s]+)/;
  const [, address = ''] = await Promise.race([stdout.untilMatch(ready), stderr.untilMatch(ready), early]);
  return { address, output, stop };
}
