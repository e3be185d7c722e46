// Says that there is no browser for the tests, before they take minutes to find out. npm has one for Linux on x64
// alone; elsewhere it is that of the system. Plain Node, because it runs before anything is installed.
//   node test/support/browser/ensure-browser.mjs
import { accessSync, constants } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// The first has no windows and needs less than half of the processor. macOS has applications outside of the PATH.
const programs = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The path of an installed browser; `npm` where npm has one; undefined if there is none. */
export function findBrowser() {
  if (process.platform === 'linux' && process.arch === 'x64') return 'npm';
  const folders = (process.env.PATH ?? '').split(delimiter);
  return programs.flatMap((program) => folders.map((folder) => resolve(folder, program))).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !findBrowser()) {
  const names = programs.slice(0, 4).join(', ');
  process.stderr.write(
    `The tests need a browser. Install Chromium or Chrome as one of ${names} on the PATH.\n`,
  );
  process.exit(1);
}
