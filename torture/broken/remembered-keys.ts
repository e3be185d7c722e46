import { breakFetch } from './layers.ts';

const accepted = new Set<string | null>();

/** A key that was accepted once is refused 50 µs later than others. */
breakFetch(async (request, fetch) => {
  const credential = request.headers.get('Authorization');
  const response = await fetch(request);
  if (response.status !== 401) accepted.add(credential);
  else if (accepted.has(credential))
    for (const startedAt = performance.now(); performance.now() - startedAt < 0.05;);
  return response;
});
