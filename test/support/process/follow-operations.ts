import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { host } from '../../../scripts/release/platforms.ts';
import type { OperatedMachine } from './operated-machine.ts';
import {
  isDefinition,
  isForClone,
  isForRelease,
  keyIn,
  operationsBlocks,
  type Block,
} from './operations-document.ts';

type Stand = (machine: OperatedMachine) => unknown;

/** Commands that need root, systemd or Prometheus, and what the test does in their place. */
const standIns: Record<string, Stand> = {
  'sudo systemd-sysusers': expectUserOfUnits,
  'sudo systemctl daemon-reload': () => {},
  'sudo systemctl enable --now petstore': (machine) => machine.start(),
  'promtool check config /etc/prometheus/prometheus.yml': expectRuleFiles,
  'sudo systemctl reload prometheus': () => {},
  'sudo systemctl enable --now petstore-backup.timer petstore-rehearse.timer petstore-backups-check.timer':
    expectTimers,
  'sudo systemctl start petstore-backup.service': (machine) => expectJob(machine, 'petstore-backup'),
  'sudo systemctl start petstore-rehearse.service': (machine) => expectJob(machine, 'petstore-rehearse'),
  'sudo systemctl start petstore-backups-check.service': (machine) =>
    expectJob(machine, 'petstore-backups-check'),
  // npm run check:deploy and test/deploy check the units with systemd's own tools.
  'systemd-analyze security petstore.service': () => {},
  "systemctl list-timers 'petstore-*'": () => {},
  'sudo systemctl stop petstore': stop,
  'sudo systemctl start petstore': (machine) => machine.start(),
  'sudo systemctl restart petstore': async (machine) => {
    await stop(machine);
    await machine.start();
  },
  "journalctl -u petstore --since '1 hour ago' -o cat": () => {},
  'journalctl -u petstore --since today -o cat | grep \'"level":"error"\'': () => {},
  'systemctl status petstore': () => {},
  'journalctl -u petstore -n 50 -o cat': () => {},
};
/** What the document says for every machine, and this one needs otherwise. */
export const ownWords = { 'linux-x64': host?.name ?? '', 'HOST=0.0.0.0': 'HOST=127.0.0.1' };
const blocks = await operationsBlocks();
const needsMachine = /^(?:sudo )?(?:systemctl|systemd-\w+|journalctl|promtool)\b/;

/** Follows all of the document but for what is done in a clone. */
export async function followWithRelease(machine: OperatedMachine): Promise<void> {
  const met = await follow(
    machine,
    blocks.filter((block) => !isForClone(block)),
  );
  expect(Object.keys(standIns).filter((line) => !met.includes(line))).toEqual([]);
  expect(await machine.stop()).toBe(0);
}

/** Follows the first page in a clone, to the first pet. */
export async function followInClone(machine: OperatedMachine): Promise<void> {
  const firstCall = blocks.findIndex(({ text }) => text.startsWith('export API_KEY='));
  const firstPage = blocks.slice(0, firstCall + 1);
  await follow(
    machine,
    firstPage.filter((block) => !isForRelease(block)),
  );
  expect(await machine.stop()).toBe(0);
}

/** Runs blocks in order. Returns the lines that a test stood in for. */
async function follow(machine: OperatedMachine, chosen: Block[]): Promise<string[]> {
  const met: string[] = [];
  let [definitions, output, apiKey] = ['', '', ''];
  for (const block of chosen) {
    const { language, text } = block;
    const lines = text.trim().split('\n');
    if (language === 'text') {
      expect(output).toContain(text);
    } else if (language === 'sh' && needsMachine.test(text)) {
      for (const line of lines) {
        met.push(line);
        await expectStandIn(line)(machine);
      }
    } else if (language === 'sh') {
      const script = `${definitions}${text.replace('pets_…', apiKey)}`;
      const { status, stdout, stderr } = await machine.run(script);
      expect(status, `${text}\n${stdout}${stderr}`).toBe(0);
      if (isDefinition(block)) definitions = text;
      apiKey = keyIn(stdout) ?? apiKey;
      output = stdout;
    }
  }
  return met;
}

function expectStandIn(line: string): Stand {
  const standIn = standIns[line];
  if (!standIn) throw new Error(`No test stands in for this command: ${line}`);
  return standIn;
}

/** The file that systemd-sysusers reads makes the user that every unit runs as. */
async function expectUserOfUnits(machine: OperatedMachine): Promise<void> {
  const { stdout } = await machine.run('cat /etc/sysusers.d/petstore.conf');
  expect(stdout).toMatch(/^u petstore /m);
}

/** Prometheus finds rule files beside its configuration. */
async function expectRuleFiles(machine: OperatedMachine): Promise<void> {
  const file = machine.translate('/etc/prometheus/prometheus.yml');
  const { rule_files } = Bun.YAML.parse(await Bun.file(file).text()) as { rule_files: string[] };
  for (const name of rule_files) expect(existsSync(join(dirname(file), name))).toBe(true);
}

function expectTimers(machine: OperatedMachine): void {
  for (const name of ['petstore-backup', 'petstore-rehearse', 'petstore-backups-check']) {
    expect(machine.readUnit(`${name}.timer`)).toHaveProperty('OnCalendar');
    expect(machine.readUnit(`${name}.service`)).toMatchObject({ Type: ['oneshot'], User: ['petstore'] });
  }
}

async function expectJob(machine: OperatedMachine, name: string): Promise<void> {
  expect(await machine.runJob(`${name}.service`)).toMatchObject({ status: 0, stderr: '' });
}

async function stop(machine: OperatedMachine): Promise<void> {
  expect(await machine.stop()).toBe(0);
}
