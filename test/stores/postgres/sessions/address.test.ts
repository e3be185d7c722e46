import { describe, expect, it } from 'bun:test';
import { OperatorError } from '../../../../src/domain/error.ts';
import { parseAddress } from '../../../../src/stores/postgres/address.ts';

const parse = (address: string, environment = {}) => parseAddress(address, { USER: 'clerk', ...environment });

describe('a postgres: address', () => {
  it('names user, password, host, port and database, percent-decoded', () => {
    expect(parse('postgres://sh%40p:p%40ss%2F%3A@db.example:6543/my%20shop')).toMatchObject({
      ...{ host: 'db.example', port: 6543 },
      user: 'sh@p',
      password: 'p@ss/:',
      database: 'my shop',
    });
  });

  it('takes what it omits from the PG… variables', () => {
    const variables = {
      ...{ PGHOST: '::1', PGPORT: '6543', PGUSER: 'shop', PGPASSWORD: 'p@ss', PGDATABASE: 'pets' },
      PGOPTIONS: '-c search_path=shop',
    };
    expect(parse('postgresql://', variables)).toMatchObject({
      ...{ host: '::1', port: 6543 },
      ...{ user: 'shop', password: 'p@ss', database: 'pets', options: '-c search_path=shop' },
    });
    expect(parse('postgres://a:b@c:1/d?options=e', variables)).toMatchObject({
      ...{ host: 'c', port: 1 },
      ...{ user: 'a', password: 'b', database: 'd', options: 'e' },
    });
  });

  it('defaults to this machine and the user of the process', () => {
    for (const silence of [{}, { PGHOST: '', PGPORT: '', PGUSER: '', PGPASSWORD: '', PGDATABASE: '' }]) {
      expect(parse('postgresql://', silence)).toMatchObject({
        ...{ host: 'localhost', port: 5432 },
        ...{ user: 'clerk', password: undefined, database: 'clerk' },
      });
    }
  });

  it('requires a user when no variable names one', () => {
    expect(() => parseAddress('postgres://a/shop', {})).toThrow(/names no user/);
  });

  it('accepts an IPv6 address in brackets, and a port after its host', () => {
    expect(parse('postgres://[::1]:3/shop')).toMatchObject({ host: '::1', port: 3 });
    expect(parse('postgres:///shop?host=a&port=1')).toMatchObject({ host: 'a', port: 1 });
  });

  it.each([
    ['postgres://a:1,b,[::1]:3/shop?target_session_attrs=read-write', {}],
    ['postgres:///shop?host=a,b', {}],
    ['postgres:///shop', { PGHOST: 'a,b' }],
  ])('refuses several hosts: %s', (address, variables) => {
    expect(() => parse(address, variables)).toThrow('Name one host');
  });

  it('names a Unix socket by its folder', () => {
    const socket = { host: '/var/run/postgresql', port: 5432 };
    expect(parse('postgres:///shop?host=/var/run/postgresql')).toMatchObject(socket);
    expect(parse('postgres://%2Fvar%2Frun%2Fpostgresql/shop')).toMatchObject(socket);
  });

  it('prefers TLS as libpq does, and takes the mode from PGSSLMODE', () => {
    expect(parse('postgres://a').sslMode).toBe('prefer');
    expect(parse('postgres://a', { PGSSLMODE: 'verify-full' }).sslMode).toBe('verify-full');
    expect(parse('postgres://a?sslmode=disable', { PGSSLMODE: 'verify-full' }).sslMode).toBe('disable');
  });

  it('says whether it is behind a pgbouncer', () => {
    expect(parse('postgres://a').isPgbouncer).toBe(false);
    expect(parse('postgres://a?pgbouncer=true').isPgbouncer).toBe(true);
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
