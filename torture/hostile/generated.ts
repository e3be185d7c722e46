import { checkedFetch } from '../../test/support/contract/conformance.ts';
import { nextQuery } from '../../test/support/http/calls.ts';
import { randomFrom } from '../../test/support/random.ts';
import type { Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/broken-program.ts';
import { generateRequest, type GeneratedPet, type GeneratedRequest } from './generate-request.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const lanes = 8;
const batchSize = 2000;

/** What the senders know: every pet that was acknowledged, and what each idempotency key stands for. */
interface Known {
  pets: Map<string, GeneratedPet>;
  keys: Map<string, { id: string; pet: string }>;
  lastId?: string;
  lastQuery?: string;
}

/** A round is a request. */
const run: Run = async ({ rounds, seed, report, program }) => {
  await using service = await serve({ program });
  const known: Known = { pets: new Map(), keys: new Map() };
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < rounds && faults.length < 20;) {
    const count = Math.min(batchSize, rounds - sent);
    const batch = Array.from({ length: lanes }, async (_, lane) => {
      const random = randomFrom(seed + sent * lanes + lane);
      const parts = {
        random,
        key: service.apiKey,
        lane: `lane-${lane}`,
        knownId: () => known.lastId,
        knownQuery: () => known.lastQuery,
      };
      let last: GeneratedRequest | undefined;
      for (let index = lane; index < count; index += lanes) {
        // One that carries an idempotency key may be sent once more.
        const request: GeneratedRequest =
          last?.idempotencyKey !== undefined && random.next() < 0.3 ? last : generateRequest(parts);
        last = request;
        const fault = await send(service, request, known, statuses).catch(String);
        if (fault !== undefined)
          faults.push(
            `${request.init.method} ${request.path.slice(0, 100)} ${request.init.body?.slice(0, 200) ?? ''}: ${fault}`,
          );
      }
    });
    await Promise.all(batch);
    sent += count;
    faults.push(...(await compareStore(service, known)));
    report(`${sent} requests, ${known.pets.size} pets, ${faults.length} faults`);
  }
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  return {
    figures: {
      requests: rounds,
      pets: known.pets.size,
      responses: counts.join(', '),
      'wrong responses': faults.length,
    },
    faults: faults.slice(0, 20),
  };
};

async function send(
  service: Service,
  { path, init, expected, pet, idempotencyKey }: GeneratedRequest,
  known: Known,
  statuses: Map<number, number>,
) {
  const response = await checkedFetch(`${service.url}${path}`, init);
  const { status } = response;
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const text = await response.text();
  known.lastQuery = nextQuery(response) ?? known.lastQuery ?? '';
  const earlier =
    idempotencyKey === undefined || pet === undefined ? undefined : known.keys.get(idempotencyKey);
  if (earlier && earlier.pet !== JSON.stringify(pet))
    return status === 422 ? undefined : `a used idempotency key gave ${status}`;
  if (!expected.includes(status))
    return `expected ${expected.join(' or ')}, got ${status} ${text.slice(0, 200)}`;
  if (!pet) return status === 201 ? 'created what nobody asked for' : undefined;
  const id = response.headers.get('Location')?.split('/').at(-1) ?? '';
  if (earlier) return earlier.id === id ? undefined : `repeated ${earlier.id} as ${id}`;
  if (idempotencyKey !== undefined) known.keys.set(idempotencyKey, { id, pet: JSON.stringify(pet) });
  if (known.pets.has(id)) return `the id ${id} was given twice`;
  known.pets.set(id, pet);
  known.lastId = id;
  return undefined;
}

/** The service holds exactly what it has acknowledged, field by field. */
async function compareStore(service: Service, { pets }: Known): Promise<string[]> {
  const left = new Map(pets);
  const faults: string[] = [];
  for (let query: string | undefined = '?limit=100'; query !== undefined;) {
    const response: Response = await service.call(`/v1/pets${query}`);
    for (const stored of readPets(await response.text())) {
      const wanted = left.get(stored.id);
      if (JSON.stringify(wanted) !== JSON.stringify(stored.pet))
        faults.push(`${stored.id} is ${JSON.stringify(stored.pet)}, not ${JSON.stringify(wanted)}`);
      left.delete(stored.id);
    }
    query = nextQuery(response);
  }
  return [...faults, ...[...left.keys()].map((id) => `${id} is lost`)];
}

/** Integers as the digits that were sent. */
function readPets(text: string): { id: string; pet: GeneratedPet }[] {
  const digits = (_key: string, value: unknown, { source = '' }: { source?: string }) =>
    typeof value === 'number' ? source : value;
  const pets = JSON.parse(text, digits as (key: string, value: unknown) => unknown) as ({
    id: string;
  } & GeneratedPet)[];
  return pets.map(({ id, name, categoryId, status }) => ({ id, pet: { name, categoryId, status } }));
}

export const generated: TortureTest = {
  name: 'generated',
  description: 'requests generated from the grammar of the API, every response checked against openapi.yaml',
  passesWhen:
    'every response is the documented and the right one; the store holds exactly what was acknowledged',
  rounds: 100_000,
  unit: 'requests',
  run,
  control: {
    description: 'integers pass through a double',
    rounds: 400,
    run: againstBroken(run, [
      {
        file: 'src/domain/int64.ts',
        find: "    return withinInt64(BigInt(sign + significant + '0'.repeat(trailingZeros)));",
        replace: '    return withinInt64(BigInt(Number(this.source)));',
      },
    ]),
  },
};
