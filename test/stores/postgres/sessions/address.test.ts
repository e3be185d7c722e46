import { describe, expect, it } from 'bun:test';
import { OperatorError } from '../../../../src/domain/error.ts';
import { parseAddress } from '../../../../src/stores/postgres/address.ts';

const parse = (address: string, environment = {}) => parseAddress(address, environment);

describe('a postgres: address', () => {
  it('names user, password, host, port and database, percent-decoded', () => {
    expect(parse('postgres://sh%40p:p%40ss%2F%3A@db.example:6543/my%20shop')).toMatchObject({
      ...{ host: 'db.example', port: 6543 },
      user: 'sh@p',
      password: 'p@ss/:',
      database: 'my shop',
    });
  });

  it('takes the password from PGPASSWORD if it has none', () => {
    const variables = { PGPASSWORD: 'p@ss' };
    expect(parse('postgres://a@b', variables).password).toBe('p@ss');
    expect(parse('postgres://a:own@b', variables).password).toBe('own');
    expect(parse('postgres://a@b', { PGPASSWORD: '' }).password).toBeUndefined();
  });

  it('defaults to this machine and the database of the user', () => {
    expect(parse('postgresql://clerk@')).toMatchObject({ host: 'localhost', port: 5432, database: 'clerk' });
  });

  it('requires a user', () => {
    expect(() => parse('postgres://a/shop')).toThrow(/names no user/);
  });

  it('accepts an IPv6 address in brackets, and a port after its host', () => {
    expect(parse('postgres://u@[::1]:3/shop')).toMatchObject({ host: '::1', port: 3 });
    expect(parse('postgres://u@/shop?host=a&port=1')).toMatchObject({ host: 'a', port: 1 });
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

  it('prefers TLS as libpq does', () => {
    expect(parse('postgres://u@a').sslMode).toBe('prefer');
  });

  it('says whether it is behind a pgbouncer', () => {
    expect(parse('postgres://u@a').isPgbouncer).toBe(false);
    expect(parse('postgres://u@a?pgbouncer=true').isPgbouncer).toBe(true);
  });

  it.each([
    'postgres://user:se#cret@host/shop',
    'postgres://user:secret@host:secret/shop',
    'postgres://user:%secret@host/shop',
    'postgres://user@host/shop?secret=1',
    'postgres://user@host/shop?toString=secret',
    'postgres://user@host/shop?sslmode=secret',
    'postgres://user@host/shop?connection_limit=secret',
    'postgres://user@host/shop?dialect=secret',
    'postgres://user@host/shop?sslrootcert=/secret/missing.pem',
    'postgres://user:secret@host:99999/shop',
  ])('refuses a wrong address without quoting it: %s', (address) => {
    expect(() => parse(address)).toThrow(OperatorError);
    expect(() => parse(address)).not.toThrow(/secret/);
  });
});
