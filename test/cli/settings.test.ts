import { describe, expect, it } from 'bun:test';
import { settings } from '../../src/cli/settings.ts';
import { embeddedPath } from '../../src/stores/open.ts';
import { parseServeOptions } from '../support/process/serve-options.ts';

const variable = { DATABASE_URL: 'from-the-variable.db' };

describe('--database-url', () => {
  it.each<[string | undefined, Record<string, string>, string]>([
    ['from-the-flag.db', variable, 'from-the-flag.db'],
    ['', variable, 'from-the-variable.db'],
    [undefined, { DATABASE_URL: '' }, settings.databaseUrl.fallback],
  ])('as %j with the environment %j becomes %s', (flag, environment, expected) => {
    const args = flag === undefined ? [] : ['--database-url', flag];
    expect(parseServeOptions(args, environment).databaseUrl).toBe(expected);
  });

  it('accepts a path, or a sqlite: address of it', () => {
    const addresses = ['/var/lib/shop.db', 'sqlite:/var/lib/shop.db', 'sqlite:///var/lib/shop.db'];
    for (const address of addresses) expect(embeddedPath(address)).toBe('/var/lib/shop.db');
  });
});

describe('--public-url and --staging-url', () => {
  const read = (url: string) => parseServeOptions(['--public-url', url, '--staging-url', url], {});

  it.each(['http://127.0.0.1:8080/v1', 'https://shop.example/pets/v1'])('accept %s', (url) => {
    expect(read(url)).toMatchObject({ publicUrl: url, stagingUrl: url });
  });

  it.each([
    'https://pets.example/v1/',
    'https://pets.example/v1?x=1',
    'https://pets.example/av1',
    'ftp://pets.example/v1',
    'pets.example/v1',
    'https://user:secret@pets.example/v1',
  ])('refuse %s', (url) => {
    for (const flag of ['--public-url', '--staging-url']) {
      expect(() => parseServeOptions([flag, url], {})).toThrow(/ must be an http: or https: address [^@]+$/);
    }
  });

  it('accept an address in its usual form', () => {
    expect(read('HTTPS://Pets.example:443/v1')).toMatchObject({ publicUrl: 'https://pets.example/v1' });
  });

  it('are absent by default and if they are empty', () => {
    expect(read('')).toMatchObject({ publicUrl: undefined, stagingUrl: undefined });
    expect(parseServeOptions([], { PUBLIC_URL: '' })).toMatchObject({ publicUrl: undefined });
  });
});

describe('--stable-only', () => {
  it.each<[string[], Record<string, string>, boolean]>([
    [['--stable-only'], {}, true],
    [[], { STABLE_ONLY: 'true' }, true],
    [[], { STABLE_ONLY: '' }, false],
    [['--stable-only', 'false'], { STABLE_ONLY: 'true' }, false],
  ])('as %j with the environment %j becomes %p', (args, environment, isOn) => {
    expect(parseServeOptions(args, environment).stableOnly).toBe(isOn);
  });
});
