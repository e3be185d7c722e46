import {
  createClient,
  type ClientOptions,
  type Fetch,
  type Pet,
  type PetstoreClient,
} from '../../client/src/index.ts';

/** A client that also tells which version of a pet it has read. */
export interface ConsoleClient extends PetstoreClient {
  readPet(id: bigint): Promise<ReadPet>;
}

export interface ReadPet {
  pet: Pet;
  /** Names this very version of the pet. */
  etag: string | undefined;
}

export function createConsoleClient(options: ClientOptions): ConsoleClient {
  const client = createClient({ ...options, fetch: fetchToTheEnd });
  return { ...client, readPet: (id) => readPet(options, id) };
}

/** What a person did just before closing the tab still arrives. Browsers allow that for small bodies only. */
const fetchToTheEnd: Fetch = (url, init) => {
  const isSmallChange =
    (init.method === 'PATCH' || init.method === 'DELETE') && (init.body ?? '').length < 10_000;
  return fetch(url, { ...init, keepalive: isSmallChange });
};

async function readPet(options: ClientOptions, id: bigint): Promise<ReadPet> {
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
}
