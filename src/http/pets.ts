import { PetstoreError } from '../error.ts';
import { parseInt64 } from '../int64.ts';
import { parseNewPet, type Page, type PageRequest, type PetStore, type RenderedJson } from '../pet.ts';
import { jsonMediaType, type Answer } from './response.ts';
import { createBodyReader, parseJsonBody } from './body.ts';
import { cacheable, cacheableJson, versionOf } from './cacheable.ts';
import type { Handler } from './endpoint.ts';
import { untilHandOver } from './hand-over.ts';
import { parseIdempotencyKey } from './idempotency.ts';
import { nextLink, parsePageRequest } from './paging.ts';
import { checkIfMatchOfCreate } from './preconditions.ts';

/**
 * Sent with every answer of `/v1/pets/{petId}`: when it was deprecated (RFC 9745), when it will be removed
 * (RFC 8594), where that is explained and what replaces it.
 */
export const getPetDeprecation = {
  Deprecation: '@1794614400',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</docs#deprecation>; rel="deprecation"; type="text/html", </v1/pets>; rel="successor-version"',
};

export interface PetOperations {
  listPets: Handler;
  createPet: Handler;
  getPet: Handler;
}

export function createPetOperations(pets: PetStore, bodyTimeoutMs: number): PetOperations {
  const readBody = createBodyReader(bodyTimeoutMs);
  return {
    listPets({ request }) {
      const pageRequest = parsePageRequest(request.url);
      const page = pets.listPets(pageRequest);
      return page instanceof Promise
        ? page.then((arrived) => pageAnswer(request, pageRequest, arrived))
        : pageAnswer(request, pageRequest, page);
    },

    async createPet({ request, caller }) {
      const pet = parseNewPet(parseJsonBody(await readBody(request)));
      const key = parseIdempotencyKey(request.headers.get('Idempotency-Key'));
      checkIfMatchOfCreate(request);
      await untilHandOver(request);
      const created = await pets.createPet(pet, key === undefined ? undefined : { key, caller });
      const headers: Answer['headers'] = { Location: `/v1/pets/${created.id}` };
      if (created.replayed) headers['Idempotent-Replayed'] = 'true';
      return { status: 201, fixedHeaders: createdHeaders, headers, body: created.json };
    },

    getPet({ request, parameter: petId = '' }) {
      // What is no canonical int64 cannot name a pet.
      const id = parseInt64(petId);
      const pet = id === undefined ? undefined : pets.getPet(id);
      return pet instanceof Promise
        ? pet.then((arrived) => petAnswer(request, arrived))
        : petAnswer(request, pet);
    },
  };
}

const createdHeaders = { 'Content-Type': jsonMediaType, 'Cache-Control': 'no-store' };

function petAnswer(request: Request, json: RenderedJson | undefined): Answer {
  if (json === undefined) throw new PetstoreError('not_found', 'No pet has this id.');
  return cacheable(request, json, cacheableJson, versionOf(json));
}

/** A page that many get keeps its headers too: a hot list hashes and formats nothing. */
const headersOfPage = new WeakMap<Page, Record<string, string>>();

function pageAnswer(request: Request, pageRequest: PageRequest, page: Page): Answer {
  if (!page.isShared) return cacheable(request, page.json, cacheableJson, versionOfPage(pageRequest, page));
  let headers = headersOfPage.get(page);
  if (!headers) {
    headers = { ...cacheableJson, ...versionOfPage(pageRequest, page) };
    headersOfPage.set(page, headers);
  }
  return cacheable(request, page.json, headers);
}

function versionOfPage(pageRequest: PageRequest, page: Page): Record<string, string> {
  const link = nextLink(pageRequest, page);
  if (link === undefined) return versionOf(page.json);
  // Whether there is a Link is part of what is validated: a page that gets a successor changes only there.
  return { ...versionOf(page.json, '.more'), Link: link };
}
