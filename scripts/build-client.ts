// Builds what `npm pack -w petstore-client` packs: one ES module with its source map, and the declarations.
//   bun scripts/build-client.ts
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dir, '../packages/client');
const dist = join(folder, 'dist');
const tsc = join(import.meta.dir, '../node_modules/.bin/tsc');

if (!existsSync(tsc)) {
  console.error('The compiler is not installed: npm start installs only what the service needs. Run: npm ci');
  process.exit(1);
}
rmSync(dist, { recursive: true, force: true });
await Bun.build({
  entrypoints: [join(folder, 'src/index.ts')],
  target: 'browser',
  sourcemap: 'linked',
  outdir: dist,
});
const { exitCode, stdout } = Bun.spawnSync([tsc, '-p', folder]);
process.stdout.write(stdout);
if (exitCode !== 0) process.exit(exitCode);

const declarations = new Set<string>();
await keepDeclaration('index');
for (const file of new Bun.Glob('*.d.ts').scanSync(dist)) {
  if (!declarations.has(file.replace('.d.ts', ''))) rmSync(join(dist, file));
}

/** Keeps a declaration and those it imports. The compiler leaves `./pet.ts` in them, a file that is not packed. */
async function keepDeclaration(name: string): Promise<void> {
  if (declarations.has(name)) return;
  declarations.add(name);
  const file = join(dist, `${name}.d.ts`);
  const text = await Bun.file(file).text();
  const imported = /(?<=from '\.\/[\w-]+)\.ts(?=')/g;
  await Bun.write(file, text.replace(imported, '.js'));
  for (const [, other = ''] of text.matchAll(/from '\.\/([\w-]+)\.ts'/g)) await keepDeclaration(other);
}
