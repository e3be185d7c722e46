import { describe, expect, it } from 'bun:test';
import { OperatorError } from '../../../src/domain/error.ts';
import { parseAddress } from '../../../src/postgres/address.ts';

const parse = (address: string, environment = {}) => parseAddress(address, { USER: 'clerk', ...environment });

describe('a postgres: address', () => {
  it('names user, password, host, port and database, percent-decoded', () => {
    expect(parse('postgres://sh%40p:p%40ss%2F%3A@db.example:6543/my%20shop')).toMatchObject({
      hosts: [{ host: 'db.example', port: 6543 }],
      user: 'sh@p',
      password: 'p@ss/:',
      database: 'my shop',
    });
  });

  it('takes what it does not say from the PG… variables', () => {
    const variables = {
      ...{ PGHOST: '::1', PGPORT: '6543', PGUSER: 'shop', PGPASSWORD: 'p@ss', PGDATABASE: 'pets' },
      PGOPTIONS: '-c search_path=shop',
    };
    expect(parse('postgresql://', variables)).toMatchObject({
      hosts: [{ host: '::1', port: 6543 }],
      ...{ user: 'shop', password: 'p@ss', database: 'pets', options: '-c search_path=shop' },
    });
    expect(parse('postgres://a:b@c:1/d?options=e', variables)).toMatchObject({
      hosts: [{ host: 'c', port: 1 }],
      ...{ user: 'a', password: 'b', database: 'd', options: 'e' },
    });
  });

  it('defaults to this machine and the user of the process', () => {
    for (const silence of [{}, { PGHOST: '', PGPORT: '', PGUSER: '', PGPASSWORD: '', PGDATABASE: '' }]) {
      expect(parse('postgresql://', silence)).toMatchObject({
        hosts: [{ host: 'localhost', port: 5432 }],
        ...{ user: 'clerk', password: undefined, database: 'clerk' },
      });
    }
  });

  it('requires a user when no variable names one', () => {
    expect(() => parseAddress('postgres://a/shop', {})).toThrow(/names no user/);
  });

  it('names several hosts, IPv6 ones too', () => {
    expect(parse('postgres://a:1,b,[::1]:3/shop?target_session_attrs=read-write')).toMatchObject({
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 5432 },
        { host: '::1', port: 3 },
      ],
      mustBeWritable: true,
    });
    expect(parse('postgres:///shop?host=a,b&port=1,2').hosts).toEqual([
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ]);
  });

  it('names a Unix socket by its folder', () => {
    const hosts = [{ host: '/var/run/postgresql', port: 5432 }];
    expect(parse('postgres:///shop?host=/var/run/postgresql').hosts).toEqual(hosts);
    expect(parse('postgres://%2Fvar%2Frun%2Fpostgresql/shop').hosts).toEqual(hosts);
  });

  it('follows libpq in preferring TLS, and takes the mode from PGSSLMODE', () => {
    expect(parse('postgres://a').sslMode).toBe('prefer');
    expect(parse('postgres://a', { PGSSLMODE: 'verify-full' }).sslMode).toBe('verify-full');
    expect(parse('postgres://a?sslmode=disable', { PGSSLMODE: 'verify-full' }).sslMode).toBe('disable');
  });

  it('says when it is behind a pgbouncer', () => {
    expect(parse('postgres://a').ownsSession).toBe(true);
    expect(parse('postgres://a?pgbouncer=true').ownsSession).toBe(false);
  });

  it('says that a dialect is no longer needed', () => {
    for (const dialect of ['portable', 'postgres', ''])
      expect(() => parse(`postgres://a?dialect=${dialect}`)).toThrow(
        'The postgres: address has the parameter dialect, which is no longer needed. Remove it.',
      );
  });

  it.each([
    'postgres://user:se#cret@host/shop',
    'postgres://user:secret@host:secret/shop',
    'postgres://user:%secret@host/shop',
    'postgres://user@host/shop?secret=1',
    'postgres://user@host/shop?sslmode=secret',
    'postgres://user@host/shop?target_session_attrs=secret',
    'postgres://user@host/shop?connection_limit=secret',
    'postgres://user@host/shop?dialect=secret',
    'postgres://user@host/shop?sslrootcert=/secret/missing.pem',
    'postgres://user:secret@host:99999/shop',
  ])('refuses a wrong address without quoting it: %s', (address) => {
    expect(() => parse(address)).toThrow(OperatorError);
    expect(() => parse(address)).not.toThrow(/secret/);
  });
});
