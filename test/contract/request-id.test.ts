import { afterAll, describe, expect, it } from 'bun:test';
import type { LogFields } from '../../src/log.ts';
import { errorOf } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openService } from '../support/http/service.ts';

/** `docs/decisions.md`, "Responses": the request id. */

const service = await openService();
const { call } = service;
afterAll(() => service.close());

describe('the request id', () => {
  const idOf = async (sent: string | null, path = '/v1/pets') => {
    const response = await call(path, sent === null ? {} : { headers: { 'X-Request-Id': sent } });
    return response.headers.get('X-Request-Id') ?? '';
  };

  it('is on every response, and new each time', async () => {
    const paths = [
      '/v1/pets',
      '/v1/pets/1',
      '/v1/pets/0',
      '/v1/x',
      '/',
      '/livez',
      '/readyz',
      '/openapi.yaml',
    ];
    const ids = await Promise.all([...paths, ...paths].map((path) => idOf(null, path)));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\w-]{16,}$/);
    for (const method of ['OPTIONS', 'DELETE', 'HEAD']) {
      expect((await service.callAs(null, '/v1/pets', { method })).headers.has('X-Request-Id')).toBe(true);
    }
  });

  it('is the caller’s own if that is valid', async () => {
    for (const sane of ['1', 'checkout-7f3a', 'A'.repeat(128), 'a.b:c/d+e=f@g_h', crypto.randomUUID()]) {
      expect(await idOf(sane)).toBe(sane);
    }
  });

  it('is a new one if the caller’s is not valid', async () => {
    for (const insane of [
      '',
      ' ',
      'a b',
      'A'.repeat(129),
      '<script>',
      '"x"',
      'a,b',
      'ä',
      'a;b',
      '{}',
      '\\',
    ]) {
      const id = await idOf(insane);
      expect(id).not.toBe(insane);
      expect(id).toMatch(/^[\w-]{16,}$/);
    }
  });

  it('is in every log line of that request, and a 500’s message names it', async () => {
    const lines: [string, LogFields | undefined][] = [];
    const write = (message: string, fields?: LogFields) => void lines.push([message, fields]);
    const log = { error: write, warn: write, info: write, debug() {} };
    await using failing = await openFailingService(new Error('lost'), { log });
    const response = await failing.call('/v1/pets', { headers: { 'X-Request-Id': 'find-me' } });
    expect((await errorOf(response)).message).toContain('find-me');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.[1]).toMatchObject({ requestId: 'find-me', error: expect.stringContaining('lost') });
  });

  it('is in the access log and in the line of a slow request', async () => {
    const lines: [string, LogFields | undefined][] = [];
    const write = (message: string, fields?: LogFields) => void lines.push([message, fields]);
    const log = { error: write, warn: write, info: write, debug() {} };
    await using logged = await openService({ log, logEveryRequest: true });
    await logged.call('/v1/pets/5?key=secret', { headers: { 'X-Request-Id': 'mine' } });
    await using slow = await openService({ log, slowRequestMs: -1 });
    await slow.call('/v1/pets', { headers: { 'X-Request-Id': 'mine' } });
    expect(lines.map(([message, fields]) => [message, fields?.['requestId'], fields?.['status']])).toEqual([
      ['request', 'mine', 404],
      ['slow request', 'mine', 200],
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});
