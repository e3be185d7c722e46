import { contestantOf } from './contestants.ts';
import { coreLayout } from './cores.ts';
import { openPlaces } from './places.ts';
import { bodyHeaders } from './requests.ts';
import { startServer } from './server.ts';
import { buildSlowDisk, slowDiskMs } from './slow-disk.ts';
import { makeTemporaryFolder } from './temporary.ts';
import { workloads } from './workloads.ts';

const create = workloads.find(({ id }) => id === 'create')!;

/**
 * Makes sure that contestants of the same interface do the same work: the key is checked, parameters and
 * bodies are validated, errors have three fields, a list holds the same pets and says how to go on, and a
 * create is kept and, in a file, answered only after it is synced.
 */
export async function verifySameWork(ids: readonly string[], pets: number): Promise<void> {
  await using places = openPlaces();
  using folder = makeTemporaryFolder('verify');
  const slowDisk = buildSlowDisk(folder.path);
  const expected = await answersOf('petstore');
  for (const id of ids) {
    const differences = compare(expected, await answersOf(id));
    if (differences.length > 0) throw new Error(`${id} does other work:\n${differences.join('\n')}`);
  }

  async function answersOf(id: string): Promise<Answers> {
    const contestant = contestantOf(id);
    const { data, spelling } = contestant;
    const isFile = data === 'sqlite' || data === 'service';
    await using place = await places.open(contestant, create, pets);
    await using server = await startServer({
      ...{ contestant: id, place: place.place, processes: 1, cores: coreLayout(1).server },
      ...(isFile && slowDisk && { env: slowDisk }),
    });
    const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
      const startedAt = performance.now();
      const headers = { ...server.headers, ...(init.body !== undefined && bodyHeaders) };
      const response = await fetch(`${server.url}${path}`, { headers, ...init });
      const body: unknown = await response.json();
      return {
        status: response.status,
        body,
        hasNext: /rel="next"/.test(response.headers.get('link') ?? ''),
        location:
          response.status === 201 ? new URL(response.headers.get('location')!, server.url).pathname : '',
        isJson: /^application\/json/.test(response.headers.get('content-type') ?? ''),
        // The slow disk tells who waits for it: without a sync, a create takes less than the sync alone.
        isSynced:
          !isFile || !slowDisk || response.status !== 201 || performance.now() - startedAt >= slowDiskMs,
      };
    };
    const post = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });
    const pet = { name: 'Rex', categoryId: 1 };
    return {
      'first page': await ask(spelling.list({}).path),
      'by status': await ask(spelling.list({ status: 'sold', limit: 3 }).path),
      'by cursor': await ask(spelling.list({ after: 40, limit: 5 }).path),
      'the last page': await ask(spelling.list({ after: pets - 5, limit: 5 }).path),
      'one pet': await ask(spelling.get(10).path),
      'a create': await ask('/v1/pets', post({ ...pet, status: 'sold' })),
      'a create without status': await ask('/v1/pets', post(pet)),
      'what was created': await ask(spelling.get(pets + 2).path),
      'no key': await ask('/v1/pets', { headers: {} }),
      'another key': await ask('/v1/pets', { headers: { Authorization: 'Bearer another' } }),
      'a create without key': await ask('/v1/pets', {
        ...post(pet),
        headers: bodyHeaders,
      }),
      'limit 0': await ask('/v1/pets?limit=0'),
      'limit 101': await ask('/v1/pets?limit=101'),
      'limit abc': await ask('/v1/pets?limit=abc'),
      'unknown status': await ask('/v1/pets?status=lost'),
      'unknown pet': await ask('/v1/pets/999999999'),
      'a create without name': await ask('/v1/pets', post({ categoryId: 1 })),
      'a create without category': await ask('/v1/pets', post({ name: 'Rex' })),
      'a create with a category that is no number': await ask('/v1/pets', post({ ...pet, categoryId: 'x' })),
      'a create with a wrong status': await ask('/v1/pets', post({ ...pet, status: 'lost' })),
      'a create that is no JSON': await ask('/v1/pets', { method: 'POST', body: '{"name":' }),
    };
  }
}

interface Answer {
  status: number;
  body: unknown;
  hasNext: boolean;
  location: string;
  isJson: boolean;
  isSynced: boolean;
}

type Answers = Record<string, Answer>;

/** Errors may be worded as each likes; everything else is the same. */
function compare(expected: Answers, actual: Answers): string[] {
  return Object.entries(expected).flatMap(([question, { body, ...rest }]) => {
    const { body: otherBody, ...otherRest } = actual[question]!;
    const isSame =
      Bun.deepEquals(rest, otherRest) &&
      (rest.status < 400 ? Bun.deepEquals(otherBody, body) : isErrorBody(otherBody, rest.status));
    const found = `${JSON.stringify(otherRest)} ${JSON.stringify(otherBody).slice(0, 300)}`;
    return isSame ? [] : [`  ${question}: ${found} instead of ${JSON.stringify(rest)}`];
  });
}

function isErrorBody(body: unknown, status: number): boolean {
  const { code, message, status: repeated } = body as Record<string, unknown>;
  const fields = Object.keys(body as object)
    .toSorted()
    .join(' ');
  return (
    fields === 'code message status' &&
    typeof code === 'string' &&
    typeof message === 'string' &&
    repeated === status
  );
}
