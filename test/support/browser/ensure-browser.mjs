// Makes sure that there is a browser for the tests, before they take minutes to find out. npm has one for Linux on x64
// alone; elsewhere it is that of the system. Plain Node, because it runs before anything is installed.
//   node test/support/browser/ensure-browser.mjs
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const debianPackage = 'chromium-headless-shell';
// The first has no windows and needs less than half of the processor. macOS has applications outside of the PATH.
const programs = [
  debianPackage,
  'chromium',
  'chromium-browser',
  'google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const { platform, arch } = process;

/** The path of an installed browser; `npm` where npm has one; undefined if there is none. */
export function findBrowser() {
  if (platform === 'linux' && arch === 'x64') return 'npm';
  return programs.map(find).find((path) => path !== undefined);
}

/** Installs a browser if there is none. Returns what to do where that is not possible. */
function ensureBrowser() {
  if (findBrowser()) return undefined;
  const hasApt = find('apt-get') !== undefined;
  const isRoot = process.getuid?.() === 0;
  if (hasApt && isRoot) {
    const isInstalled =
      run('apt-get', 'update', '-qq') && run('apt-get', 'install', '-y', '-qq', debianPackage);
    if (isInstalled && findBrowser()) return undefined;
  }
  const advice = hasApt
    ? `Run: ${isRoot ? '' : 'sudo '}apt-get install ${debianPackage}`
    : platform === 'darwin'
      ? 'Run: brew install --cask google-chrome'
      : `Install Chromium or Chrome, so that one of these is on the PATH: ${programs.slice(0, 4).join(', ')}.`;
  return `The tests need a browser, and npm has none for ${platform} on ${arch}. ${advice}`;
}

/** The path of a program; undefined if it is not there. */
function find(program) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => resolve(folder, program)).find(isExecutable);
}

function run(command, ...args) {
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const complaint = ensureBrowser();
  if (complaint !== undefined) {
    process.stderr.write(`${complaint}\n`);
    process.exit(1);
  }
}
