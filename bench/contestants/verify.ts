import { slowDiskMs } from '../load/slow-disk.ts';
import { contestantOf } from './contestants.ts';
import type { HttpRequest } from './spelling.ts';
import { send, startContestant, type Setting } from './start.ts';

interface Answer {
  status: number;
  body: unknown;
  hasNext: boolean;
  location: string;
  isJson: boolean;
  /** Whether a create waited for the slow disk: without a sync, it takes less than the sync alone. */
  isSynced: boolean;
}

/**
 * Makes sure that every contestant of the same API does the same work: the key is checked, parameters and bodies are
 * validated, errors have three fields, a list holds the same pets and links to the next page, and a create is kept
 * and, in a file, acknowledged only after it is synced.
 */
export async function verifySameWork(ids: readonly string[], pets: number, setting: Setting): Promise<void> {
  const expected = await answersOf('petstore', pets, setting);
  for (const id of ids) {
    const differences = compareAnswers(expected, await answersOf(id, pets, setting));
    if (differences.length > 0) throw new Error(`${id} does other work:\n${differences.join('\n')}`);
  }
}

async function answersOf(id: string, pets: number, setting: Setting): Promise<Map<string, Answer>> {
  const { spelling, without } = contestantOf(id);
  const isOnSlowDisk = setting.slowDisk !== undefined && !without.includes('slow-disk-busy');
  const cell = { contestant: id, workload: isOnSlowDisk ? 'slow-disk-busy' : 'mix', pets, processes: 1 };
  await using server = await startContestant(cell, setting);
  const [valid, otherKey] = [{ name: 'Rex', categoryId: 1 }, { Authorization: 'Bearer another' }];
  const page = (query: string): HttpRequest => ({ method: 'GET', path: `/v1/pets${query}` });
  const create = (pet: unknown): HttpRequest => post(JSON.stringify(pet));
  const post = (body: string): HttpRequest => ({ method: 'POST', path: '/v1/pets', body });
  const questions: [string, HttpRequest, Record<string, string>?][] = [
    ['first page', spelling.list({})],
    ['by status', spelling.list({ status: 'sold', limit: 3 })],
    ['by cursor', spelling.list({ after: 40, limit: 5 })],
    ['the last page', spelling.list({ after: pets - 5, limit: 5 })],
    ['one pet', spelling.get(10)],
    ['a create', create({ ...valid, status: 'sold' })],
    ['a create without status', create(valid)],
    ['what was created', spelling.get(pets + 2)],
    ['no key', page(''), {}],
    ['another key', page(''), otherKey],
    ['a create without key', create(valid), {}],
    ['a create with another key', create(valid), otherKey],
    ['limit 0', page('?limit=0')],
    ['limit 101', page('?limit=101')],
    ['limit abc', page('?limit=abc')],
    ['unknown status', page('?status=lost')],
    ['unknown pet', spelling.get(999_999_999)],
    ['a create without name', create({ categoryId: 1 })],
    ['a create without category', create({ name: 'Rex' })],
    ['a create with a category that is no number', create({ ...valid, categoryId: 'x' })],
    ['a create with a wrong status', create({ ...valid, status: 'lost' })],
    ['a create that is no JSON', post('{"name":')],
  ];
  const answers = new Map<string, Answer>();
  for (const [question, request, headers = server.headers] of questions) {
    const startedAt = performance.now();
    const response = await send({ url: server.url, headers }, request);
    const { status, headers: received } = response;
    answers.set(question, {
      status,
      body: await response.json(),
      hasNext: /rel="next"/.test(received.get('link') ?? ''),
      location: status === 201 ? new URL(received.get('location')!, server.url).pathname : '',
      isJson: /^application\/json/.test(received.get('content-type') ?? ''),
      isSynced: !isOnSlowDisk || status !== 201 || performance.now() - startedAt >= slowDiskMs,
    });
  }
  return answers;
}

/** Errors may be worded freely; everything else is the same. */
function compareAnswers(expected: Map<string, Answer>, actual: Map<string, Answer>): string[] {
  return [...expected].flatMap(([question, { body, ...rest }]) => {
    const { body: otherBody, ...otherRest } = actual.get(question)!;
    const isSameBody =
      rest.status < 400 ? Bun.deepEquals(otherBody, body) : isErrorBody(otherBody, rest.status);
    if (isSameBody && Bun.deepEquals(rest, otherRest)) return [];
    const found = `${JSON.stringify(otherRest)} ${JSON.stringify(otherBody).slice(0, 300)}`;
    return [`  ${question}: ${found} instead of ${JSON.stringify(rest)}`];
  });
}

function isErrorBody(body: unknown, expectedStatus: number): boolean {
  const { code, message, status, ...more } = body as Record<string, unknown>;
  const hasTexts = typeof code === 'string' && typeof message === 'string';
  return hasTexts && status === expectedStatus && Object.keys(more).length === 0;
}
