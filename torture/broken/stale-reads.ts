import { breakFetch } from './layers.ts';

const firstSeen = new Map<string, string>();
let gets = 0;

/** Every tenth get of a pet shows it as this process saw it first. */
breakFetch(async (request, fetch) => {
  const { pathname } = new URL(request.url);
  const response = await fetch(request);
  const { status, headers } = response;
  if (request.method !== 'GET' || !/\/pets\/\d+$/.test(pathname) || status !== 200) return response;
  const json = await response.text();
  const first = firstSeen.get(pathname) ?? json;
  firstSeen.set(pathname, first);
  return new Response(++gets % 10 === 0 ? first : json, { status, headers });
});
