import {
  copyOf,
  editResponse,
  stableOperations,
  operationOf,
  refuseAs,
  withBody,
  withHeader,
} from './edit.ts';
import type { Fetch, MutantDefinition, Wrap } from './mutant.ts';

export const authenticationMutants: readonly MutantDefinition[] = [
  ...stableOperations.map<MutantDefinition>((operation, index) => ({
    number: 114 + index,
    name: `key-unchecked-${operation}`,
    description: `${operation} works without a key.`,
    operation,
    wrap: acceptIf(() => true),
  })),
  {
    number: 117,
    name: 'key-any',
    description: 'Any key is accepted, but one must be sent.',
    wrap: acceptIf((header) => /^bearer .+$/i.test(header)),
  },
  {
    number: 118,
    name: 'key-missing-accepted',
    description: 'A request without a key is accepted; a wrong key is refused.',
    wrap: acceptIf((header) => header === ''),
  },
  {
    number: 119,
    name: 'key-empty-accepted',
    description: 'Bearer without a key is accepted.',
    wrap: acceptIf((header) => /^bearer *$/i.test(header)),
  },
  {
    number: 120,
    name: 'key-scheme-unchecked',
    description: 'The key is accepted with any scheme, such as Basic.',
    wrap: acceptIf((header, key) => header.endsWith(` ${key}`)),
  },
  {
    number: 121,
    name: 'key-without-scheme',
    description: 'The key is accepted without a scheme.',
    wrap: acceptIf((header, key) => header === key),
  },
  {
    number: 122,
    name: 'key-prefix-accepted',
    description: 'A key is compared up to its last character.',
    wrap: acceptIf((header, key) => header.startsWith(`Bearer ${key.slice(0, -1)}`)),
  },
  {
    number: 123,
    name: 'key-any-case',
    description: 'A key is accepted in upper case and in lower case.',
    wrap: acceptIf((header, key) => header.toLowerCase() === `bearer ${key.toLowerCase()}`),
  },
  {
    number: 124,
    name: 'key-in-query',
    breaks: 'strict',
    description: 'The key is also accepted as the query parameter access_token.',
    wrap: acceptIf((_header, key, { url }) => new URL(url).searchParams.get('access_token') === key),
  },
  {
    number: 126,
    name: 'key-missing-403',
    description: 'A missing key is 403 instead of 401.',
    wrap: onRefusedKey((response, header) => (header === '' ? refuseAs(response, 403) : response)),
  },
  {
    number: 127,
    name: 'key-wrong-403',
    description: 'A wrong key is 403 instead of 401.',
    wrap: onRefusedKey((response, header) => (header === '' ? response : refuseAs(response, 403))),
  },
  {
    number: 207,
    name: 'key-malformed-400',
    description: 'An Authorization header without Bearer and a key is 400 instead of 401.',
    wrap: onRefusedKey((response, header) =>
      header === '' || /^Bearer \S/.test(header) ? response : refuseAs(response, 400),
    ),
  },
  {
    number: 129,
    name: 'key-401-without-body',
    description: 'A 401 has no body.',
    wrap: onRefusedKey((response) => withBody(response, null)),
  },
  {
    number: 131,
    name: 'key-scheme-case',
    breaks: 'strict',
    description: 'The scheme is refused in lower case.',
    wrap: (fetch) => (request) => {
      const header = request.headers.get('Authorization') ?? '';
      return fetch(/^bearer/.test(header) ? withHeader(request, 'Authorization', null) : request);
    },
  },
  {
    number: 132,
    name: 'key-challenge-missing',
    breaks: 'strict',
    description: 'A 401 has no WWW-Authenticate.',
    wrap: onRefusedKey((response) => {
      response.headers.delete('WWW-Authenticate');
      return response;
    }),
  },
  {
    number: 133,
    name: 'key-after-body',
    operation: 'createPet',
    breaks: 'strict',
    description: 'A create checks its body before its key.',
    wrap: checkBodyFirst,
  },
  {
    number: 134,
    name: 'key-after-pet',
    operation: 'getPet',
    breaks: 'strict',
    description: 'getPet tells a caller without a key whether a pet exists.',
    wrap: (fetch, apiKey) => async (request) => {
      const response = await fetch(request);
      if (response.status !== 401) return response;
      const withKey = await fetch(withHeader(request, 'Authorization', `Bearer ${apiKey}`));
      return withKey.status === 404 ? withKey : response;
    },
  },
];

/** Accepts requests by their `Authorization` header, in addition to those that the service accepts. */
function acceptIf(isAccepted: (header: string, apiKey: string, request: Request) => boolean): Wrap {
  return (fetch, apiKey) => (request) => {
    const header = request.headers.get('Authorization') ?? '';
    if (!operationOf(request) || !isAccepted(header, apiKey, request)) return fetch(request);
    return fetch(withHeader(request, 'Authorization', `Bearer ${apiKey}`));
  };
}

function onRefusedKey(edit: (response: Response, header: string, request: Request) => Response): Wrap {
  return editResponse((response, request) =>
    response.status === 401 ? edit(response, request.headers.get('Authorization') ?? '', request) : response,
  );
}

/** The service checks `If-Match` after the body, so a tag that cannot match stops a valid pet from being stored. */
function checkBodyFirst(fetch: Fetch, apiKey: string): Fetch {
  return async (request) => {
    const probe = withHeader(copyOf(request), 'Authorization', `Bearer ${apiKey}`);
    const response = await fetch(request);
    if (response.status !== 401) return response;
    const withKey = await fetch(withHeader(probe, 'If-Match', '"none"'));
    return withKey.status === 400 ? withKey : response;
  };
}
