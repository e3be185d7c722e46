import type { CapturedResponse } from './data.ts';

/** The limit: Bun.serve that repeats, from memory, what the service responded once. */
const { GET, POST } = (await Bun.file(process.env['RESPONSES']!).json()) as Record<string, CapturedResponse>;

/** The Headers object is made once: the cheapest way there is. */
const repeat = ({ status, headers, body }: CapturedResponse): (() => Response) => {
  const init = { status, headers: new Headers(headers) };
  return () => new Response(body, init);
};
const [get, post] = [repeat(GET!), repeat(POST!)];

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  development: false,
  // The service reads the body of a create, so its limit must, too.
  fetch: (request) => (request.method === 'POST' ? request.text().then(post) : get()),
});
