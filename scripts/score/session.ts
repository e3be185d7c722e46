/** Sends a request to a path of the API with these headers. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Ordinary use of the API and its errors: what a proxy between a program and the service may see. */
export async function useApi(send: Send, apiKey: string): Promise<void> {
  const key = { Authorization: `Bearer ${apiKey}` };
  const get = (path: string, headers: Record<string, string> = key) => send(path, { headers });
  const create = (pet: object, headers: Record<string, string> = key) => {
    const init = { method: 'POST', body: JSON.stringify(pet) };
    return send('/pets', { ...init, headers: { ...headers, 'Content-Type': 'application/json' } });
  };

  for (const query of ['', '?limit=1', '?limit=20', '?limit=100']) await get(`/pets${query}`);
  for (const status of ['available', 'pending', 'sold']) await get(`/pets?limit=5&status=${status}`);
  await walk(get);

  for (const pet of validPets) await create(pet);
  for (const pet of invalidPets) await create(pet);
  for (let id = 1; id <= 10; id++) await get(`/pets/${id}`);
  for (const id of ['4611686018427387904', 'abc']) await get(`/pets/${id}`);

  for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${apiKey}` }]) {
    await get('/pets', headers);
    await get('/pets/1', headers);
    await create(rex, headers);
  }
  for (const query of ['limit=0', 'limit=101', 'limit=abc', 'status=lost', 'status=SOLD', 'cursor=x']) {
    await get(`/pets?${query}`);
  }

  const { headers } = await get('/pets');
  await get('/pets', { ...key, 'If-None-Match': headers.get('ETag') ?? '"none"' });
  await get('/pets', { ...key, 'If-Match': '"none"' });
  await send('/pets', { method: 'HEAD', headers: key });
  await send('/pets', { method: 'OPTIONS' });
  for (const pet of [rex, rex, { ...rex, name: 'Max' }])
    await create(pet, { ...key, 'Idempotency-Key': 'one' });
}

const rex = { name: 'Rex', categoryId: 7 };
const validPets = [rex, { ...rex, status: 'sold' }, { ...rex, status: 'pending' }];
const invalidPets = [
  {},
  { name: 'Rex' },
  { categoryId: 7 },
  { name: 7, categoryId: 7 },
  { name: null, categoryId: 7 },
  { name: 'Rex', categoryId: '7' },
  { name: 'Rex', categoryId: 1.5 },
  { ...rex, status: 'lost' },
  { ...rex, status: null },
];

const pageCount = 3;

async function walk(get: (path: string) => Promise<Response>): Promise<void> {
  let query: string | undefined = '?limit=7';
  for (let page = 0; page < pageCount && query !== undefined; page++) {
    const response: Response = await get(`/pets${query}`);
    query = /<(\?[^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1];
  }
}
