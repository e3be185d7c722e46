import { PetstoreError, petNotFound } from '../domain/error.ts';
import { parseInt64 } from '../domain/int64.ts';
import { andThen, type MaybePromise } from '../domain/maybe-promise.ts';
import { parseNewPet, type Page, type PetStore } from '../domain/pet.ts';
import { parseJsonBody, readBody } from './body.ts';
import { ResponseCache } from './cache.ts';
import { cacheable, checkIfMatchOfCreate } from './conditional.ts';
import type { Handler } from './endpoint.ts';
import type { HttpMetrics } from './metrics.ts';
import { nextLink, parsePageRequest, petList, type ListKind, type ListRequest } from './paging.ts';
import type { PlainResponse } from './response.ts';

/** Sent with every response of `/v1/pets/{petId}`: deprecated (RFC 9745), to be removed (RFC 8594), and why. */
export const getPetDeprecation = {
  Deprecation: '@1794614400',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</docs#deprecation>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
};

export function createPetOperations(
  pets: PetStore,
  baseHeaders: Record<string, string>,
  bodyTimeoutMs: number,
  metrics?: HttpMetrics,
): Record<'listPets' | 'createPet' | 'getPet', Handler> {
  const cache = new ResponseCache(() => pets.version(), baseHeaders, metrics);

  return {
    listPets: createList(petList, cache, (request) => pets.listPets(request)),

    async createPet({ request, caller }) {
      const pet = parseNewPet(parseJsonBody(await readBody(request, bodyTimeoutMs)));
      const key = parseIdempotencyKey(request.headers.get('Idempotency-Key'));
      checkIfMatchOfCreate(request);
      const idempotency = key === undefined ? undefined : { key, caller: caller.hash };
      const { id, json, replayed } = await pets.createPet(pet, idempotency, caller.name);
      const headers: PlainResponse['headers'] = { 'Cache-Control': 'no-store', Location: `/v1/pets/${id}` };
      if (replayed) {
        headers['Idempotent-Replayed'] = 'true';
        metrics?.idempotentReplays.increment();
      }
      return { status: 201, headers, body: json };
    },

    getPet({ parameter }) {
      return andThen(pets.getPet(parsePetId(parameter)), (json) => {
        if (json === undefined) throw petNotFound();
        return cacheable(json);
      });
    },
  };
}

/** Makes the handler of a list. `read` reads one page from the store. */
export function createList<Request extends ListRequest>(
  kind: ListKind<Request>,
  cache: ResponseCache,
  read: (request: Request) => MaybePromise<Page>,
): Handler {
  const readPage = (request: Request): MaybePromise<PlainResponse> =>
    andThen(read(request), (page) => {
      const link = nextLink(request, page, kind);
      // The mark puts the Link into the ETag: a page that gains a successor changes only there.
      return link === undefined ? cacheable(page.json) : cacheable(page.json, { Link: link }, '.more');
    });
  return ({ request }) => cache.respond(parsePageRequest(request.url, kind), readPage);
}

/** What is not a canonical int64 cannot name a pet. */
export function parsePetId(parameter = ''): bigint {
  const id = parseInt64(parameter);
  if (id === undefined) throw petNotFound();
  return id;
}

/** 1 to 255 visible characters, bare or in quotes. Two headers arrive joined by ", " and do not match. */
const idempotencyKey = /^(?:"([!#-~]{1,255})"|([!#-~][!-~]{0,254}))$/;

function parseIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  const [, quoted, bare] = idempotencyKey.exec(header) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined) return key;
  throw new PetstoreError(
    'invalid_parameter',
    'Idempotency-Key must be given once, as 1 to 255 visible ASCII characters.',
  );
}
