import { breakFetch } from './layers.ts';

/** Integers of a body pass through a double. */
breakFetch(async (request, fetch) => {
  if (request.method !== 'POST') return fetch(request);
  const bytes = await request.bytes();
  let body: string | typeof bytes = bytes;
  try {
    body = JSON.stringify(JSON.parse(Buffer.from(bytes).toString()));
  } catch {
    // The service says what is wrong with it.
  }
  return fetch(new Request(request, { body }));
});
