#!/usr/bin/env node
// A package has the program built for Node, and not this source. A checkout has the source, and runs it with Bun.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const source = pathOf('./petstore-conform.ts');

if (existsSync(source)) {
  const { status } = spawnSync(pathOf('./run.sh'), [source, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  await import('../../dist/petstore-conform.js');
}
