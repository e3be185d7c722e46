import { describe, expect, it } from 'bun:test';
import { ensureBrowser, findBrowser, type Machine } from '../../scripts/ensure-browser.mjs';

const macChrome = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** A machine with these programs. What is run on it is kept, and apt-get installs what it is asked for. */
function machineWith(given: Partial<Machine> & { programs?: string[] }) {
  const programs = new Set(given.programs);
  const ran: string[] = [];
  const machine: Machine = {
    platform: 'linux',
    arch: 'arm64',
    isRoot: true,
    find: (program) => (programs.has(program) ? program : undefined),
    run(...command) {
      ran.push(command.join(' '));
      if (command.includes('install')) programs.add(command.at(-1) ?? '');
      return true;
    },
    ...given,
  };
  return { machine, ran };
}

describe('the browser of the tests', () => {
  it.each<[string, string, string[], string | undefined]>([
    ['linux', 'x64', [], 'npm'],
    ['linux', 'arm64', [], undefined],
    ['linux', 'arm64', ['google-chrome'], 'google-chrome'],
    ['linux', 'arm64', ['chromium', 'chromium-headless-shell'], 'chromium-headless-shell'],
    ['darwin', 'x64', [], undefined],
    ['darwin', 'arm64', [macChrome], macChrome],
  ])('on %s %s with %j is %p', (platform, arch, programs, found) => {
    expect(findBrowser(machineWith({ platform, arch, programs }).machine)).toBe(found);
  });
});

describe('npm test', () => {
  it('installs nothing where there is a browser', () => {
    const { machine, ran } = machineWith({ programs: ['chromium', 'apt-get'] });
    expect([ensureBrowser(machine), ran]).toEqual([undefined, []]);
  });

  it("installs Debian's browser where it may", () => {
    const { machine, ran } = machineWith({ programs: ['apt-get'] });
    expect(ensureBrowser(machine)).toBeUndefined();
    expect(ran).toEqual(['apt-get update -qq', 'apt-get install -y -qq chromium-headless-shell']);
  });

  it.each<[string, Parameters<typeof machineWith>[0], string]>([
    [
      'without root',
      { programs: ['apt-get'], isRoot: false },
      'sudo apt-get install chromium-headless-shell',
    ],
    [
      'if apt-get fails',
      { programs: ['apt-get'], run: () => false },
      'apt-get install chromium-headless-shell',
    ],
    ['on a Mac', { platform: 'darwin' }, 'brew install --cask google-chrome'],
    ['elsewhere', {}, 'Install Chromium or Chrome'],
  ])('says in one line what to install: %s', (_title, given, advice) => {
    const complaint = ensureBrowser(machineWith(given).machine);
    expect(complaint).toContain(advice);
    expect(complaint).not.toContain('\n');
  });
});
