/**
 * A preload that must come before anything that imports `node:fs`, whose functions are bound then. KILL_AT kills the
 * process before a step: a change of a file, a statement, or the end of a connection. With NO_LINKS, the file system has
 * no hard links.
 */
const fs = require('node:fs');
const { Database } = require('bun:sqlite');

const { KILL_AT, NO_LINKS } = process.env;
let stepsLeft = Number(KILL_AT);

function counted(original) {
  return function (...args) {
    if (stepsLeft-- === 0) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, args);
  };
}

if (NO_LINKS) {
  fs.linkSync = () => {
    throw Object.assign(new Error('no links'), { code: 'EPERM' });
  };
}
for (const name of ['openSync', 'copyFileSync', 'chmodSync', 'fsyncSync', 'linkSync', 'rmSync', 'renameSync'])
  fs[name] = counted(fs[name]);
for (const name of ['run', 'query', 'close']) Database.prototype[name] = counted(Database.prototype[name]);
