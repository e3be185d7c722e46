import { copyOf, editRequest, editResponse, withBody, withHeader } from './edit.ts';
import { strict, type Fetch, type Wrap } from './mutant.ts';

const idempotencyKey = 'Idempotency-Key';

export const idempotencyMutants = strict([
  {
    number: 175,
    name: 'idempotency-ignored',
    description: 'A repeated Idempotency-Key stores a second pet.',
    wrap: editRequest((request) => withHeader(request, idempotencyKey, null)),
  },
  {
    number: 176,
    name: 'idempotency-replay-unmarked',
    description: 'A replayed create lacks Idempotent-Replayed.',
    wrap: onReplay((response) => {
      response.headers.delete('Idempotent-Replayed');
      return response;
    }),
  },
  {
    number: 177,
    name: 'idempotency-replay-200',
    description: 'A replayed create is 200 instead of the first 201 again.',
    wrap: onReplay(async (response) => withBody(response, await response.text(), { status: 200 })),
  },
  {
    number: 178,
    name: 'idempotency-conflict-stored',
    description: 'An Idempotency-Key that was used for another pet stores a second pet.',
    wrap: storeConflicts,
  },
  {
    number: 180,
    name: 'idempotency-conflict-replayed',
    description: 'An Idempotency-Key that was used for another pet returns that pet.',
    wrap: replayConflicts,
  },
  {
    number: 181,
    name: 'idempotency-remembers-failures',
    description: 'An Idempotency-Key that was sent with an invalid pet is refused from then on.',
    wrap: rememberFailures,
  },
]);

function onReplay(edit: (response: Response) => Response | Promise<Response>): Wrap {
  return editResponse((response) =>
    response.headers.has('Idempotent-Replayed') ? edit(response) : response,
  );
}

function storeConflicts(fetch: Fetch): Fetch {
  return async (request) => {
    const again = withHeader(copyOf(request), idempotencyKey, null);
    const response = await fetch(request);
    return response.status === 422 ? fetch(again) : response;
  };
}

function replayConflicts(fetch: Fetch): Fetch {
  const firsts = new Map<string, Response>();
  return async (request) => {
    const key = request.headers.get(idempotencyKey);
    const response = await fetch(request);
    if (key !== null && response.status === 201) firsts.set(key, response.clone() as Response);
    const first = response.status === 422 ? firsts.get(key ?? '') : undefined;
    return first ? (first.clone() as Response) : response;
  };
}

function rememberFailures(fetch: Fetch): Fetch {
  const failures = new Map<string, Response>();
  return async (request) => {
    const key = request.headers.get(idempotencyKey);
    // Keys belong to one caller.
    const owner = `${request.headers.get('Authorization')} ${key}`;
    const failure = failures.get(owner);
    if (failure) return failure.clone() as Response;
    const response = await fetch(request);
    if (key !== null && response.status === 400) failures.set(owner, response.clone() as Response);
    return response;
  };
}
