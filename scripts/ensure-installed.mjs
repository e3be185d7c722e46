// Installs the packages of package-lock.json if any is missing or has another version. Otherwise it touches
// neither the disk nor the network. Plain Node, because it runs before anything is installed.
//   node scripts/ensure-installed.mjs            everything, for development and tests
//   node scripts/ensure-installed.mjs --omit=dev what the service needs at run time
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const isRuntimeOnly = process.argv.includes('--omit=dev');

if (!isInstalled()) {
  const scope = isRuntimeOnly ? '--omit=dev' : '--include=dev';
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm ? [process.execPath, npm] : ['npm'];
  console.error('Installing packages (once)…');
  const install = (...options) =>
    spawnSync(command, [...args, 'ci', scope, ...options], { stdio: ['ignore', 'inherit', 'inherit'] })
      .status;
  // npm would ask about each package that it has cached, which takes as long as the rest. Without asking, it may not know
  // a new version.
  process.exit(install('--prefer-offline', '--silent') === 0 ? 0 : (install() ?? 1));
}

function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  return Object.entries(wanted).every(([path, { version, dev, optional }]) => {
    if (path === '' || (dev && isRuntimeOnly)) return true;
    // Optional packages of other platforms may be missing, but must not have another version.
    return installed[path] ? installed[path].version === version : optional;
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return {};
  }
}
