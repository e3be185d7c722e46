import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser } from 'playwright-core';
import { removeAtTheEnd } from '../process/remove-at-the-end.ts';
import { findBrowser } from './ensure-browser.mjs';

const packageFolder = join(import.meta.dir, '../../../node_modules/@sparticuz/chromium');

export interface OpenBrowser extends AsyncDisposable {
  browser: Browser;
}

/** A real Chromium: npm's, or that of the machine. */
export async function openBrowser(): Promise<OpenBrowser> {
  const unpacked = await unpack();
  const folder = await mkdtemp(join(tmpdir(), 'petstore-chromium-'));
  // If nobody closes it, the browser ends with this process, and leaves its profile.
  removeAtTheEnd(folder);
  const found = findBrowser();
  if (found === undefined)
    throw new Error('There is no browser. Run: node test/support/browser/ensure-browser.mjs');
  await Bun.write(join(folder, 'fonts.conf'), fontsConfiguration(join(unpacked, 'fonts'), folder));
  const program = found === 'npm' ? join(unpacked, 'chromium') : found;
  const libraries = found === 'npm' && lacksLibraries(program) && join(unpacked, 'libraries/lib');
  const browser = await withTemporaryFolder(folder, () =>
    playwright.launch({
      executablePath: program,
      // Not the package's own list, which disables the same-origin policy.
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'],
      env: {
        ...process.env,
        ...{ HOME: folder, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
        ...(libraries && { LD_LIBRARY_PATH: libraries }),
      },
      timeout: 300_000,
    }),
  );
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A small system has no NSS, which the npm package brings along. */
function lacksLibraries(program: string): boolean {
  return Bun.spawnSync(['ldd', program]).stdout.includes('not found');
}

/** Unpacks the browser, its libraries and its font once, into the folder of the package, with which they go away. */
async function unpack(): Promise<string> {
  const unpacked = join(packageFolder, 'unpacked');
  if (existsSync(unpacked)) return unpacked;
  const own = await mkdtemp(`${unpacked}-`);
  if (findBrowser() === 'npm') {
    await withTemporaryFolder(own, () => chromium.executablePath());
    await unpackPart('al2023', join(own, 'libraries'));
  } else await unpackPart('fonts', join(own, 'fonts'));
  // Another process may have been faster.
  await rename(own, unpacked).catch(() => rm(own, { recursive: true }));
  return unpacked;
}

/** A part of the npm package: its font, for the same text on every machine, or its libraries. */
async function unpackPart(name: 'fonts' | 'al2023', folder: string): Promise<void> {
  const packed = await Bun.file(join(packageFolder, `bin/${name}.tar.br`)).bytes();
  await new Bun.Archive(brotliDecompressSync(packed)).extract(folder);
}

/** Of the fonts of the machine only DejaVu, where Debian has it: any other might be preferred for the weight 600. */
function fontsConfiguration(fonts: string, folder: string): string {
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  <alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>`;
}

/** The packages write into `TMPDIR` and have no option for it. */
async function withTemporaryFolder<Value>(folder: string, run: () => Promise<Value>): Promise<Value> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    return await run();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}
