/**
 * A preload that must come before anything that imports `node:fs`, whose functions are bound then. With SNAPSHOTS, it
 * copies the folder FOLDER there before each step (a change of a file, a statement, the end of a connection): what a kill
 * at this step would leave. With NO_LINKS, the file system has no hard links.
 */
const fs = require('node:fs');
const { Database } = require('bun:sqlite');

const { FOLDER, SNAPSHOTS, NO_LINKS } = process.env;
let step = 0;

function observed(original) {
  return function (...args) {
    // By a process of its own: if this one closed the files, it would lose SQLite's locks.
    if (SNAPSHOTS) Bun.spawnSync(['cp', '-pR', FOLDER, `${SNAPSHOTS}/${step++}`]);
    return original.apply(this, args);
  };
}

if (NO_LINKS) {
  fs.linkSync = () => {
    throw Object.assign(new Error('no links'), { code: 'EPERM' });
  };
}
for (const name of ['openSync', 'copyFileSync', 'chmodSync', 'fsyncSync', 'linkSync', 'rmSync', 'renameSync'])
  fs[name] = observed(fs[name]);
for (const name of ['run', 'query', 'close']) Database.prototype[name] = observed(Database.prototype[name]);
