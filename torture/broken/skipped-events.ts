import { breakFetch } from './layers.ts';

let pages = 0;

/** Every tenth page of events leaves out its first one, as if it had become visible after its place was read. */
breakFetch(async (request, fetch) => {
  const response = await fetch(request);
  if (!new URL(request.url).pathname.endsWith('/events') || response.status !== 200) return response;
  const events = (await response.json()) as object[];
  const { status, headers } = response;
  const page = events.length > 0 && ++pages % 10 === 0 ? events.slice(1) : events;
  return new Response(JSON.stringify(page), { status, headers });
});
