import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'bun:test';
import { OperatorError } from '../../../../src/domain/error.ts';
import { parseAddress as parse } from '../../../../src/stores/postgres/address.ts';

const certificate = join(import.meta.dir, '../../../fixtures/localhost.pem');

describe('a postgres: address', () => {
  it('names user, password, host, port and database, percent-decoded', () => {
    expect(parse('postgres://sh%40p:p%40ss%2F%3A@db.example:6543/my%20shop?sslmode=require')).toMatchObject({
      ...{ host: 'db.example', port: 6543 },
      user: 'sh@p',
      password: 'p@ss/:',
      database: 'my shop',
    });
  });

  it('defaults to this machine and the database of the user', () => {
    expect(parse('postgresql://clerk@/')).toMatchObject({ host: 'localhost', port: 5432, database: 'clerk' });
  });

  it('requires a user', () => {
    expect(() => parse('postgres://a/shop')).toThrow(/names no user/);
  });

  it('accepts an IPv6 address in brackets, and a port after its host', () => {
    expect(parse('postgres://u@[::1]:3/shop')).toMatchObject({ host: '::1', port: 3 });
    expect(parse('postgres://u@/shop?host=a&port=1&sslmode=require')).toMatchObject({ host: 'a', port: 1 });
  });

  it.each(['postgres://u@a:1,b,[::1]:3/shop', 'postgres://u@a,b/shop', 'postgres://u@/shop?host=a,b'])(
    'refuses several hosts: %s',
    (address) => {
      expect(() => parse(address)).toThrow('Name one host');
    },
  );

  it('names a Unix socket by its folder', () => {
    const socket = { host: '/var/run/postgresql', port: 5432 };
    expect(parse('postgres://u@/shop?host=/var/run/postgresql')).toMatchObject(socket);
    expect(parse('postgres://u@%2Fvar%2Frun%2Fpostgresql/shop')).toMatchObject(socket);
  });

  it.each(['localhost', '127.0.0.1', '[::1]', '%2Frun%2Fpostgresql'])(
    'means plain text without sslmode on this machine: %s',
    (host) => {
      expect(parse(`postgres://u@${host}/shop`).ssl).toBe(false);
    },
  );

  it.each(['db.example', 'localhost.example', '10.0.0.1', '[::2]'])(
    'is refused without sslmode if it leads to another machine: %s',
    (host) => {
      expect(() => parse(`postgres://u@${host}/shop`)).toThrow(
        'Add ?sslmode=verify-full, or ?sslmode=disable',
      );
      expect(parse(`postgres://u@${host}/shop?sslmode=disable`).ssl).toBe(false);
    },
  );

  it.each([
    ['sslmode=require', { rejectUnauthorized: false }],
    [`sslmode=require&sslrootcert=${certificate}`, { ca: readFileSync(certificate, 'utf8') }],
    [`sslmode=verify-full&sslrootcert=${certificate}`, { ca: readFileSync(certificate, 'utf8') }],
    ['sslmode=verify-full', {}],
  ])('verifies the server as libpq does with %s', (query, expected) => {
    const { ssl } = parse(`postgres://u@db.example/shop?${query}`);
    expect(ssl).toMatchObject(expected);
    if (!query.includes('require')) expect(ssl).not.toHaveProperty('rejectUnauthorized');
  });

  it.each([
    ['sslmode=prefer', 'Use one of disable, require, verify-ca, verify-full.'],
    ['sslmode=', 'Use one of disable'],
    ['ssl_mode=verify-full', 'has an unknown parameter'],
    ['ssl=false', 'has an unknown parameter'],
    ['sslmode=verify-ca', 'needs a sslrootcert'],
    ['sslmode=verify-full&sslrootcert=system', 'Leave it out'],
    ['pgbouncer=true', 'has an unknown parameter'],
  ])('refuses %s, with what to write', (query, message) => {
    expect(() => parse(`postgres://u@localhost/shop?${query}`)).toThrow(message);
  });

  it.each([
    'postgres://user:se#cret@host/shop',
    'postgres://user:secret@host:secret/shop',
    'postgres://user@localhost/shop?secret=1',
    'postgres://user@localhost/shop?toString=secret',
    'postgres://user@host/shop?sslmode=secret',
    'postgres://user@localhost/shop?connection_limit=secret',
    'postgres://user@localhost/shop?dialect=secret',
    'postgres://user@host/shop?sslmode=verify-full&sslrootcert=/secret/missing.pem',
    'postgres://user:secret@localhost:99999/shop',
    'postgres://user:12/secret@localhost/shop',
    'postgres://user:secret@db.example/shop',
  ])('refuses a wrong address without quoting it: %s', (address) => {
    expect(() => parse(address)).toThrow(OperatorError);
    expect(() => parse(address)).not.toThrow(/secret/);
  });
});
