import { editHeaders, editRequest, removeHeader, withBody, withHeader } from './edit.ts';
import { strict, type Fetch, type Wrap } from './mutant.ts';

export const etagMutants = strict([
  {
    number: 182,
    name: 'etag-missing',
    description: 'No response has an ETag.',
    wrap: removeHeader('ETag'),
  },
  {
    number: 183,
    name: 'etag-constant',
    description: 'The ETag stays the same when the content changes, so a caller keeps an old response.',
    wrap: tagBy((address) => `"${Bun.hash(address).toString(16)}"`),
  },
  {
    number: 184,
    name: 'etag-random',
    description: 'Every response has another ETag, so nothing is ever 304.',
    wrap: tagBy(() => `"${crypto.randomUUID()}"`),
  },
  {
    number: 185,
    name: 'etag-unquoted',
    description: 'An ETag has no quotes.',
    wrap: editHeaders((headers) => {
      const etag = headers.get('ETag');
      if (etag !== null) headers.set('ETag', etag.replaceAll('"', ''));
    }),
  },
  {
    number: 186,
    name: 'if-none-match-ignored',
    description: 'If-None-Match is ignored: nothing is ever 304.',
    wrap: withoutCondition('If-None-Match'),
  },
  {
    number: 187,
    name: 'if-none-match-always',
    description: 'Any If-None-Match gives 304, whatever tag it names.',
    wrap: editRequest((request) =>
      request.headers.has('If-None-Match') ? withHeader(request, 'If-None-Match', '*') : request,
    ),
  },
  {
    number: 188,
    name: 'if-none-match-first-only',
    description: 'Of several tags in If-None-Match, only the first counts.',
    wrap: editRequest((request) => {
      const [first] = request.headers.get('If-None-Match')?.split(',') ?? [];
      return first === undefined ? request : withHeader(request, 'If-None-Match', first);
    }),
  },
  {
    number: 189,
    name: 'if-none-match-weak-refused',
    description: 'A weak tag in If-None-Match never matches.',
    wrap: editRequest((request) =>
      request.headers.get('If-None-Match')?.startsWith('W/')
        ? withHeader(request, 'If-None-Match', null)
        : request,
    ),
  },
  {
    number: 190,
    name: 'if-match-ignored',
    description: 'If-Match is ignored: nothing is ever 412.',
    wrap: withoutCondition('If-Match'),
  },
  {
    number: 191,
    name: 'cacheable-by-anybody',
    description: 'Pets may be kept for a minute, by shared caches too.',
    wrap: editHeaders((headers) => {
      if (headers.has('ETag')) headers.set('Cache-Control', 'public, max-age=60');
    }),
  },
]);

function withoutCondition(name: string): Wrap {
  return editRequest((request) => withHeader(request, name, null));
}

/** Replaces every tag, and compares the new ones. */
function tagBy(tagFor: (address: string) => string): Wrap {
  return (fetch: Fetch): Fetch =>
    async (request) => {
      const header = request.headers.get('If-None-Match');
      const response = await fetch(withHeader(request, 'If-None-Match', null));
      if (!response.headers.has('ETag')) return response;
      const etag = tagFor(request.url);
      const isMatch = header === '*' || (header?.includes(etag) ?? false);
      const tagged = isMatch ? withBody(response, null, { status: 304 }) : response;
      tagged.headers.set('ETag', etag);
      return tagged;
    };
}
