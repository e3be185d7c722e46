import { describe, expect, it } from 'bun:test';
import type { LogFields } from '../../src/system/log.ts';
import { errorOf } from '../support/http/calls.ts';
import { openFailingService } from '../support/http/failing-service.ts';
import { openService } from '../support/http/service.ts';

/** The request id in the log. What a caller sees are checks of `petstore-conform`. */

describe('the request id', () => {
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
