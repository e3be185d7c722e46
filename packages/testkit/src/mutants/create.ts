import { renderExactJson, toInt64 } from '../conform/exact-json.ts';
import {
  copyOf,
  editHeaders,
  editPage,
  editPets,
  editResponse,
  forOperations,
  parseObject,
  removeHeader,
  withBody,
  withHeader,
  withUrl,
} from './edit.ts';
import type { Fetch, MutantDefinition, Wrap } from './mutant.ts';

/** Creates with wrong responses, or that store too much or too little. */
export const createMutants: readonly MutantDefinition[] = [
  {
    number: 92,
    name: 'create-200',
    description: 'A create responds with 200 instead of 201.',
    wrap: onCreated(async (response) => withBody(response, await response.text(), { status: 200 })),
  },
  {
    number: 93,
    name: 'create-without-body',
    description: 'A create responds with 201 and no body.',
    wrap: onCreated((response) => withBody(response, null)),
  },
  {
    number: 94,
    name: 'create-id-constant',
    description: 'The pet that a create returns always has the id 1.',
    wrap: editPets(['createPet'], (pet) => ({ ...pet, id: 1 })),
  },
  {
    number: 95,
    name: 'create-id-of-caller',
    description: 'A create returns the id that the caller sent, not the one that was assigned.',
    wrap: returnIdOfCaller,
  },
  {
    number: 96,
    name: 'create-twice',
    description: 'A create stores two pets.',
    wrap: createTwice,
  },
  {
    number: 97,
    name: 'create-lost',
    operation: 'all',
    description: 'A pet that was added never appears again.',
    wrap: hideCreated((ids) => ids),
  },
  {
    number: 99,
    name: 'create-seen-late',
    operation: 'all',
    description: 'A pet does not appear until the next one is added.',
    wrap: hideCreated((ids) => ids.slice(-1)),
  },
  {
    number: 100,
    name: 'create-location-missing',
    breaks: 'strict',
    description: 'A create has no Location.',
    wrap: removeHeader('Location'),
  },
  {
    number: 101,
    name: 'create-location-wrong',
    breaks: 'strict',
    description: 'The Location of a create names the list, not the pet.',
    wrap: editHeaders((headers, { ok }) => {
      if (ok) headers.set('Location', '/v1/pets');
    }),
  },
];

function onCreated(edit: (response: Response) => Response | Promise<Response>): Wrap {
  return editResponse((response) => (response.status === 201 ? edit(response) : response));
}

function returnIdOfCaller(fetch: Fetch): Fetch {
  return async (request) => {
    const sent = copyOf(request);
    const response = await fetch(request);
    if (response.status !== 201) return response;
    const id = parseObject(await sent.text())?.['id'];
    if (toInt64(id) === undefined) return response;
    return withBody(response, renderExactJson({ ...parseObject(await response.text()), id }));
  };
}

function createTwice(fetch: Fetch): Fetch {
  return async (request) => {
    const again = withHeader(copyOf(request), 'Idempotency-Key', null);
    const response = await fetch(request);
    const isNew = response.status === 201 && !response.headers.has('Idempotent-Replayed');
    if (isNew) await fetch(again);
    return response;
  };
}

/** Hides some of the added pets, chosen from their sorted ids, from lists and getPet. */
function hideCreated(choose: (ids: bigint[]) => bigint[]): Wrap {
  return (fetch) => {
    const created: bigint[] = [];
    const isHidden = (id: bigint | undefined) => choose(created).some((hidden) => hidden === id);

    const create = editPets(['createPet'], (pet) => {
      const id = toInt64(pet['id']);
      if (id !== undefined && !created.includes(id)) created.push(id);
      created.sort((one, other) => (one < other ? -1 : 1));
      return pet;
    });
    const list = editPage((pets) => pets.filter(({ id }) => !isHidden(toInt64(id))));
    const get: Wrap = forOperations(['getPet'], (next) => (request) => {
      const id = new URL(request.url).pathname.split('/').at(-1) ?? '';
      const isLost = /^\d+$/.test(id) && isHidden(BigInt(id));
      return next(isLost ? withUrl(request, (url) => (url.pathname = '/v1/pets/-1')) : request);
    });
    return [create, list, get].reduce((next, wrap) => wrap(next, ''), fetch);
  };
}
