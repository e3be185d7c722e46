import { slowDiskMs } from '../load/slow-disk.ts';
import { contestantOf, isOnPostgres } from './contestants.ts';
import type { HttpRequest } from './spelling.ts';
import { send, startContestant, type Setting } from './start.ts';

/**
 * Makes sure that every contestant of the same API does the same work: the key is checked, parameters and bodies are
 * validated, errors have three fields, a list holds the same pets and links to the next page, and a create, and on
 * PostgreSQL an update, is kept and, in a file, acknowledged only after it is synced.
 */
export async function verifySameWork(ids: readonly string[], pets: number, setting: Setting): Promise<void> {
  const expected = await responsesOf('petstore', pets, setting);
  for (const id of ids) {
    const responses = await responsesOf(id, pets, setting);
    const lines = [...responses].flatMap(([question, other]) => {
      const response = expected.get(question);
      if (Bun.deepEquals(other, response)) return [];
      return [`  ${question}: ${JSON.stringify(other)} instead of ${JSON.stringify(response)}`];
    });
    if (lines.length > 0) throw new Error(`${id} does other work:\n${lines.join('\n')}`);
  }
}

/** What a contestant responds to each question. Errors may be worded freely; everything else is the same. */
async function responsesOf(id: string, pets: number, setting: Setting): Promise<Map<string, unknown>> {
  const { spelling, without, kind, data } = contestantOf(id);
  const isOnSlowDisk = setting.slowDisk !== undefined && !without.includes('slow-disk-busy');
  const cell = { contestant: id, workload: isOnSlowDisk ? 'slow-disk-busy' : 'mix', pets };
  await using server = await startContestant(cell, setting);
  const [valid, otherKey] = [{ name: 'Rex', categoryId: 1 }, { Authorization: 'Bearer another' }];
  const page = (query: string): HttpRequest => ({ method: 'GET', path: `/v1/pets${query}` });
  const create = (pet: unknown): HttpRequest => post(JSON.stringify(pet));
  const post = (body: string): HttpRequest => ({ method: 'POST', path: '/v1/pets', body });
  const patch = (body: string): HttpRequest => ({ ...spelling.update(10, ''), body });
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
  const ofUpdates: typeof questions = [
    ['an update', spelling.update(10, 'Max')],
    ['what was updated', spelling.get(10)],
    ['an update of every field', patch(JSON.stringify({ ...valid, status: 'pending' }))],
    ['an update of a created pet', spelling.update(pets + 2, 'Max')],
    ['an update without key', spelling.update(10, 'Tom'), {}],
    ['an update with another key', spelling.update(10, 'Tom'), otherKey],
    ['an update of an unknown pet', spelling.update(999_999_999, 'Max')],
    ['an update with a category that is no number', patch('{"categoryId":"x"}')],
    ['an update with a wrong status', patch('{"status":"lost"}')],
    ['an update that is no JSON', patch('{"name":')],
    ['what is left after that', spelling.get(10)],
  ];
  if (kind === 'service' || isOnPostgres({ data })) questions.push(...ofUpdates);
  const responses = new Map<string, unknown>();
  for (const [question, request, headers = server.headers] of questions) {
    const startedAt = performance.now();
    const response = await send({ url: server.url, headers }, request);
    const [body, { status, headers: received }] = [(await response.json()) as object, response];
    // Without a sync, a create takes less than the sync of the slow disk alone.
    const isSynced = !isOnSlowDisk || status !== 201 || performance.now() - startedAt >= slowDiskMs;
    const isJson = /^application\/json/.test(received.get('content-type') ?? '');
    const hasNext = /rel="next"/.test(received.get('link') ?? '');
    const location = status === 201 && new URL(received.get('location')!, server.url).pathname;
    const free = status >= 400 && { code: textIn(body, 'code'), message: textIn(body, 'message') };
    const compared = free ? { ...body, ...free } : body;
    responses.set(question, { status, isSynced, isJson, hasNext, location, body: compared });
  }
  return responses;
}

const textIn = (body: object, field: string): boolean =>
  typeof (body as Record<string, unknown>)[field] === 'string';
