import { breakFetch } from './layers.ts';

/** Lists of orders leave out those of every tenth pet. */
breakFetch(async (request, fetch) => {
  const response = await fetch(request);
  if (!new URL(request.url).pathname.endsWith('/orders') || response.status !== 200) return response;
  const orders = (await response.json()) as { petId: number }[];
  const { status, headers } = response;
  return new Response(JSON.stringify(orders.filter(({ petId }) => petId % 10 !== 0)), { status, headers });
});
