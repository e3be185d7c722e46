import { contestantOf } from './contestants.ts';
import { coreLayout } from './cores.ts';
import { openPlaces } from './places.ts';
import { startServer } from './server.ts';
import { workloads } from './workloads.ts';

/**
 * Makes sure that contestants of the same interface do the same work: the key is checked, parameters and
 * bodies are validated, errors have three fields, and a list holds the same animals.
 */
export async function verifySameWork(ids: readonly string[], animals: number): Promise<void> {
  await using places = openPlaces();
  const expected = await answersOf('petstore');
  for (const id of ids) {
    const differences = compare(expected, await answersOf(id));
    if (differences.length > 0) throw new Error(`${id} does other work:\n${differences.join('\n')}`);
  }

  async function answersOf(id: string): Promise<Answers> {
    const { data, spelling } = contestantOf(id);
    await using place = await places.open({ ...contestantOf(id), data }, workloads[0]!, animals);
    const { server: cores } = coreLayout(1);
    await using server = await startServer({ contestant: id, place: place.place, processes: 1, cores });
    const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
      const response = await fetch(`${server.url}${path}`, { headers: server.headers, ...init });
      return { status: response.status, body: await response.json() };
    };
    const post = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });
    return {
      'first page': await ask(spelling.list({}).path),
      'by status': await ask(spelling.list({ status: 'sold', limit: 3 }).path),
      'by cursor': await ask(spelling.list({ after: 40, limit: 5 }).path),
      'one animal': await ask(spelling.get(10).path),
      'a create': await ask('/v1/pets', post({ name: 'Rex', categoryId: 1, status: 'sold' })),
      'no key': await ask('/v1/pets', { headers: {} }),
      'another key': await ask('/v1/pets', { headers: { Authorization: 'Bearer another' } }),
      'limit 0': await ask('/v1/pets?limit=0'),
      'limit 101': await ask('/v1/pets?limit=101'),
      'unknown status': await ask('/v1/pets?status=lost'),
      'unknown animal': await ask('/v1/pets/999999999'),
      'a create without name': await ask('/v1/pets', post({ categoryId: 1 })),
      'a create with a wrong status': await ask(
        '/v1/pets',
        post({ name: 'Rex', categoryId: 1, status: 'lost' }),
      ),
    };
  }
}

interface Answer {
  status: number;
  body: unknown;
}

type Answers = Record<string, Answer>;

/** Errors may be worded as each likes; everything else is the same. */
function compare(expected: Answers, actual: Answers): string[] {
  return Object.entries(expected).flatMap(([question, { status, body }]) => {
    const answer = actual[question]!;
    const isSame =
      answer.status === status &&
      (status < 400 ? Bun.deepEquals(answer.body, body) : isErrorBody(answer.body, status));
    return isSame ? [] : [`  ${question}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`];
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
