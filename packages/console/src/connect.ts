import {
  createClient,
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
  isTemporary: boolean;
  requestId?: string | undefined;
}

export function toProblem(error: unknown): Problem {
  if (isPetstoreError(error, 'network')) {
    return navigator.onLine
      ? { title: 'The service cannot be reached', advice: 'It may be restarting.', isTemporary: true }
      : { title: 'You are offline', advice: 'Check your network connection.', isTemporary: true };
  }
  // The service knows best why a key may not do this.
  if (isPetstoreError(error, 'forbidden'))
    return { title: error.message.replace(/\.$/, ''), advice: '', isTemporary: false };
  if (isTemporary(error))
    return { title: 'The service is busy', advice: 'Nothing is lost.', isTemporary: true };
  return {
    title: 'Something went wrong',
    advice: 'Try again. If it keeps failing, tell whoever runs the service.',
    isTemporary: false,
    requestId: isPetstoreError(error) ? error.requestId : undefined,
  };
}
