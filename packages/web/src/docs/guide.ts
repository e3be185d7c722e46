import type { ServiceErrorCode } from '../../../client/src/index.ts';
import { guideExamples } from './examples.ts';
import { renderHeading, renderInline, renderStatus, renderTerms } from './markup.ts';
import { renderCommand, renderSample, type CodeSample } from './samples.ts';

interface GuideSection {
  id: string;
  title: string;
  /** HTML. */
  words: string;
  sample?: CodeSample;
}

/** The HTTP status of each error code. */
export type StatusOfCode = Readonly<Record<ServiceErrorCode, number>>;

const advice: Record<ServiceErrorCode, string> = {
  unauthorized: 'Send one key in the `Authorization` header.',
  invalid_api_key: 'The key is unknown, expired or revoked. Ask for another one.',
  not_found: 'Check the id and the path.',
  method_not_allowed: 'Use a method from the `Allow` header.',
  invalid_parameter: 'Fix the parameter or header that the message names.',
  invalid_cursor: 'Start again at the first page and follow its links unchanged.',
  invalid_json: 'Send valid JSON in UTF-8.',
  invalid_pet: 'Fix the fields that the message names. It names every wrong field.',
  invalid_category: 'Fix the name as the message says.',
  request_timeout: 'The body took too long to arrive. Send the request again.',
  payload_too_large: 'Send at most 16 KiB.',
  unsupported_media_type: 'Send `Content-Type: application/json`.',
  idempotency_conflict: 'This key was used for another pet. Choose a new key for a new pet.',
  precondition_failed: 'The pet or the page does not meet your condition. Fetch it again, then decide.',
  forbidden: 'The key is read-only, or it may not delete. Ask for another one.',
  events_gone: 'The cursor is too old, or the store was restored. List the pets again, then follow events.',
  rate_limited: 'Wait as long as `Retry-After` says, then retry.',
  overloaded: 'Too many requests are waiting. Wait as long as `Retry-After` says, then retry.',
  unavailable: 'The store is unavailable. Wait as long as `Retry-After` says, then retry.',
  internal: 'The service failed. If it keeps failing, report the request id.',
};

/** Every error code with its status and remedy. Responses link here. */
function renderErrorCodes(statusOfCode: StatusOfCode): string {
  const codes = (Object.keys(advice) as ServiceErrorCode[]).toSorted(
    (one, other) => statusOfCode[one] - statusOfCode[other],
  );
  return renderTerms(
    codes.map((code) => ({
      id: `error-${code}`,
      term: `${renderStatus(statusOfCode[code])} <code>${code}</code>`,
      description: renderInline(advice[code]),
    })),
    'errors',
  );
}

/** What a developer needs in the first ten minutes. */
export const guideSections: readonly GuideSection[] = [
  {
    id: 'key',
    title: 'Get an API key',
    words: `<p>Every call needs an API key. The service prints one when it starts for the first time. The operator creates more
with <code>petstore keys create</code>; in a checkout of the source code, the command is <code>npx petstore</code>. A key is
shown only once.</p>
${renderCommand('petstore keys create --name my-program')}
<p>Keep the key out of your source code: the samples read it from the environment variable <code>API_KEY</code>. Send it in
the <code>Authorization: Bearer &lt;API_KEY&gt;</code> header, never in a URL.</p>
${renderCommand("export API_KEY='pets_…'")}`,
  },
  {
    id: 'first-call',
    title: 'Make your first call',
    words: `<p>List the pets. A new store has none, and the response is <code>[]</code>.</p>
<p>Check your spelling: the service ignores query parameters and body fields that it does not know.
<code>GET /v1/pets?name=Rex</code> does not search by name: <strong>it returns every pet</strong>. An invalid
value of a known parameter or field is an error. With the TypeScript client, an unknown name does not compile.</p>
<p>The TypeScript client has no dependencies and runs in browsers, Node, Bun and Deno. It comes with the source code of
this service and is not in a registry. Build the package in a checkout, and install the tarball in your project:</p>
${renderCommand('npm ci && npm pack --workspace petstore-client\nnpm install ./petstore-client-*.tgz')}
<p>For Python and other languages, see <code>docs/clients.md</code> in the source code.</p>`,
    sample: guideExamples.firstCall,
  },
  {
    id: 'create',
    title: 'Add your first pet',
    words: `<p>A pet has a name, a category and an optional status: <code>available</code>, <code>pending</code> or
<code>sold</code>. The service assigns the <code>id</code> and responds once the pet is stored durably.</p>
<p>Ids and categories are exact 64-bit integers. JSON parsers that use doubles, such as <code>response.json()</code>, lose
digits beyond 2<sup>53</sup>; Python keeps them, and the TypeScript client returns <code>bigint</code>.</p>`,
    sample: guideExamples.create,
  },
  {
    id: 'retries',
    title: 'Retry safely',
    words: `<p>You can always retry a read. You can retry a create if it carries an <code>Idempotency-Key</code> of your choice:
the same key with the same pet returns the first response again and adds nothing. The service remembers it for a week.
After a 429 or 503, wait for the number of seconds in <code>Retry-After</code>. After a lost connection, wait a little longer
before each retry.</p>
<p>The TypeScript client does all of this for you: it sends a new key with each create, waits as <code>Retry-After</code>
says, and retries for up to a minute with growing, random pauses.</p>`,
    sample: guideExamples.retries,
  },
  {
    id: 'pages',
    title: 'Read all pages',
    words: `<p>A list comes in pages of at most 100 pets, ordered by ascending <code>id</code>. If more pets follow, the
<code>Link</code> header with <code>rel="next"</code> holds the URL of the next page, relative to the URL of the request.
Follow it unchanged until a response has none. You get every pet that existed when you started exactly once, unless it is
changed or deleted in the meantime.</p>`,
    sample: guideExamples.pages,
  },
  {
    id: 'errors',
    title: 'Handle errors',
    words: `<p>Every error has the same three fields: <code>code</code> for programs, <code>message</code> for people, and
<code>status</code>, the HTTP status. Branch on <code>code</code>: the wording of a message may change. Quote the
<code>X-Request-Id</code> header when you report a problem.</p>`,
    sample: guideExamples.errors,
  },
  {
    id: 'deprecation',
    title: 'Stop using getPet',
    words: `<p>Fetching one pet by its id, <code>GET /v1/pets/{petId}</code>, has been deprecated since 14 November 2026 and
will be removed on 5 December 2030. It works until then. Each response says so in the <code>Deprecation</code>,
<code>Sunset</code> and <code>Link</code> headers.</p>
<p>Use <code>GET /v1/pets</code> with the <code>status</code> filter instead: list the pets that you work with, index them by
id, and list again with <code>If-None-Match</code> to check cheaply for changes.</p>`,
  },
];

/** Left out with `--stable-only`, which removes searchPets. */
const searchById = `<p>To look one pet up by its id, <a href="#searchPets">search</a> for it: <code>GET /v1/pets/search?id=1</code>
returns an array with that pet, or <code>[]</code>.</p>`;

export function renderGuide(stableOnly: boolean, statusOfCode: StatusOfCode): string {
  const more: Record<string, string> = {
    errors: renderErrorCodes(statusOfCode),
    deprecation: stableOnly ? '' : searchById,
  };
  return guideSections
    .map(
      ({ id, title, words, sample }) => `<section class="columns" id="${id}">
<div class="words">${renderHeading(2, id, title)}${words}${more[id] ?? ''}</div>
${sample ? renderSample(sample, title) : ''}</section>`,
    )
    .join('\n');
}
