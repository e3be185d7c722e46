import type { CapturedAnswer, CapturedAnswers } from './capture.ts';

/** The limit: Bun.serve with nothing behind it, answering from memory what the service answered once. */
const answers = (await Bun.file(process.env['ANSWERS']!).json()) as CapturedAnswers;

/** Headers that are put together once: the cheapest way there is, three times as cheap as a record per answer. */
const repeat = ({ status, headers, body }: CapturedAnswer): (() => Response) => {
  const init = { status, headers: new Headers(headers) };
  return () => new Response(body, init);
};
const get = repeat(answers.GET);
const post = repeat(answers.POST);

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  development: false,
  // A create that does not read its body would be no limit of one that does.
  fetch: (request) => (request.method === 'POST' ? request.text().then(post) : get()),
});
