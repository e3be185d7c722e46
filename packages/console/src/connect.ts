import {
  createClient,
  isInvalidPet,
  isPetstoreError,
  isTemporary,
  type ClientOptions,
  type Fetch,
  type Pet,
  type PetstoreClient,
} from '../../client/src/index.ts';

/** A client that also tells the ETag of a pet that it has read. */
export interface ConsoleClient extends PetstoreClient {
  readPet(id: bigint): Promise<{ pet: Pet; etag: string | undefined }>;
}

/** A client for the service that this console came from. */
export function connect(apiKey: string): ConsoleClient {
  const options: ClientOptions = { baseUrl: new URL('.', location.href).href, apiKey, retryForMs: 2000 };
  return {
    ...createClient({ ...options, fetch: fetchToTheEnd }),
    async readPet(id) {
      let etag: string | undefined;
      const client = createClient({
        ...options,
        async fetch(url, init) {
          const response = await fetch(url, init);
          etag = response.headers.get('ETag') ?? undefined;
          return response;
        },
      });
      return { pet: await client.getPet(id), etag };
    },
  };
}

/** What a person did just before closing the tab still arrives. Browsers allow that for small bodies only. */
const fetchToTheEnd: Fetch = (url, init) => {
  const isSmallChange =
    (init.method === 'PATCH' || init.method === 'DELETE') && (init.body ?? '').length < 10_000;
  return fetch(url, { ...init, keepalive: isSmallChange });
};

export interface Problem {
  title: string;
  advice: string;
}

export function toProblem(error: unknown): Problem {
  if (isPetstoreError(error, 'network'))
    return navigator.onLine
      ? { title: 'The service cannot be reached', advice: 'It may be restarting.' }
      : { title: 'You are offline', advice: 'Check your network connection.' };
  if (isTemporary(error)) return { title: 'The service is busy', advice: 'Nothing is lost.' };
  // The service knows best why a key may not do this.
  if (isPetstoreError(error, 'forbidden')) return { title: error.message.replace(/\.$/, ''), advice: '' };
  if (isPetstoreError(error, 'method_not_allowed'))
    return { title: 'The service no longer lets pets be changed', advice: '' };
  const requestId = isPetstoreError(error) && error.requestId ? ` Request id ${error.requestId}.` : '';
  const advice = `Try again. If it keeps failing, tell whoever runs the service.${requestId}`;
  return { title: 'Something went wrong', advice };
}

/** All of a problem in one text. */
export function tellProblem(error: unknown): string {
  const { title, advice } = toProblem(error);
  return isInvalidPet(error) ? error.message : `${title}. ${advice}`.trimEnd();
}
