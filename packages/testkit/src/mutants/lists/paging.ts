import {
  editHeaders,
  editPage,
  editParameter,
  editResponse,
  type Fields,
  limitOf,
  withBody,
  withLink,
  withUrl,
} from '../edit.ts';
import { parseExactJson } from '../../conform/exact-json.ts';
import { nextQuery } from '../../conform/walk.ts';
import { strict, type Fetch, type Wrap } from '../mutant.ts';

export const pagingMutants = strict([
  {
    number: 163,
    name: 'pages-skip-one',
    description: 'Each page but the first leaves out its first pet.',
    wrap: editPage((pets, request) => (hasCursor(request) ? pets.slice(1) : pets)),
  },
  {
    number: 164,
    name: 'pages-repeat-one',
    description: 'Each page but the first begins with the last pet of the page before.',
    wrap(fetch, apiKey) {
      let last: Fields | undefined;
      const repeatLast = editPage((pets, request) => {
        const repeated = hasCursor(request) && last ? [last, ...pets.slice(0, -1)] : pets;
        last = pets.at(-1);
        return repeated;
      });
      return repeatLast(fetch, apiKey);
    },
  },
  {
    number: 165,
    name: 'pages-without-link',
    description: 'No page has a Link to the next one.',
    wrap: editLink(() => undefined),
  },
  {
    number: 167,
    name: 'pages-link-other-host',
    description: 'The Link of a page names the host behind the proxy.',
    wrap: editLink((link) => link.replace('<?', '<http://10.0.0.7:8080/v1/pets?')),
  },
  {
    number: 168,
    name: 'pages-link-forgets-status',
    description: 'The Link of a filtered page has no status.',
    wrap: editLink((link) => link.replace(/&status=\w+/, '')),
  },
  {
    number: 169,
    name: 'pages-link-forgets-limit',
    description: 'The Link of a page has no limit.',
    wrap: editLink((link) => link.replace(/limit=\d+&/, '')),
  },
  {
    number: 171,
    name: 'pages-endless',
    description: 'The last page has a Link back to the first.',
    wrap: editHeaders((headers, { ok }, request) => {
      if (!ok || headers.has('Link')) return;
      const { searchParams } = new URL(request.url);
      searchParams.delete('cursor');
      if (!searchParams.has('limit')) searchParams.set('limit', '20');
      headers.set('Link', `<?${searchParams.toString()}>; rel="next"`);
    }),
  },
  {
    number: 172,
    name: 'pages-end-empty',
    description: 'A last page that is full has a Link to an empty page.',
    wrap: endWithEmptyPage,
  },
  {
    number: 173,
    name: 'pages-cursor-ignored',
    description: 'Every page is the first.',
    wrap: editParameter('cursor', () => undefined),
  },
  {
    number: 174,
    name: 'pages-cursor-unchecked',
    description: 'A damaged cursor begins at the first page instead of being refused.',
    wrap: (fetch) => async (request) => {
      const response = await fetch(request);
      if (response.status !== 400 || !hasCursor(request)) return response;
      const first = await fetch(withUrl(request, (url) => url.searchParams.delete('cursor')));
      return first.ok ? first : response;
    },
  },
]);

function editLink(edit: (link: string) => string | undefined): Wrap {
  return editResponse((response) => withLink(response, edit));
}

function hasCursor({ url }: Request): boolean {
  return new URL(url).searchParams.has('cursor');
}

function endWithEmptyPage(fetch: Fetch): Fetch {
  return async (request) => {
    const isEnd = new URL(request.url).searchParams.get('cursor') === 'end';
    const response = await fetch(
      isEnd ? withUrl(request, (url) => url.searchParams.delete('cursor')) : request,
    );
    if (!response.ok || response.body === null) return response;
    if (isEnd) return withLink(withBody(response, '[]'), () => undefined);
    const text = await response.text();
    const page = withBody(response, text);
    const limit = limitOf(request) ?? 20;
    const isFull = (parseExactJson(text) as Fields[]).length === limit;
    if (isFull && !nextQuery(page)) page.headers.set('Link', `<?limit=${limit}&cursor=end>; rel="next"`);
    return page;
  };
}
