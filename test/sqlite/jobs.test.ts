import { describe, expect, it } from 'bun:test';
import { decodeJobs, encodeJobs, type Job } from '../../src/sqlite/jobs.ts';
import { renderFields } from '../../src/sqlite/stored-pet.ts';

describe('jobs on their way to the writer thread', () => {
  it('arrive as they left, whatever a pet is called', () => {
    const names = [
      'Rex',
      '',
      ' ',
      '{',
      '}',
      '\n',
      '\r\n',
      '{"kind":"probe"}',
      '\u2028',
      '"',
      '\\',
      'Zoë 🐈',
      'close',
    ];
    const jobs: Job[] = names.flatMap((name): Job[] => [
      { kind: 'create-pet', fields: renderFields({ name, categoryId: -1n }), status: null },
      { kind: 'create-pet', fields: renderFields({ name, categoryId: 1n, status: 'sold' }), status: 'sold' },
      {
        kind: 'create-pet',
        fields: renderFields({ name, categoryId: 0n }),
        status: null,
        idempotency: { key: '\n', caller: name, requestHash: '1', now: 2 },
      },
    ]);
    jobs.push({ kind: 'probe', now: 1 });
    expect(decodeJobs(encodeJobs(jobs))).toEqual(jobs);
    for (const job of jobs) expect(decodeJobs(encodeJobs([job]))).toEqual([job]);
  });
});
