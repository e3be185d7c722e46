import { version } from '../../package.json';
import { escapeHtml, renderCode, renderStatus, renderTerms } from '../console/html.ts';
import { statusOfCode, type ErrorCode } from '../error.ts';
import { exampleAddress, examples, type Example } from './examples.ts';

export const guideSections = [
  { id: 'key', title: 'Get an API key' },
  { id: 'first-call', title: 'Make your first call' },
  { id: 'create', title: 'Add a pet' },
  { id: 'retries', title: 'Retry safely' },
  { id: 'pages', title: 'Read all pages' },
  { id: 'errors', title: 'Handle errors' },
  { id: 'deprecation', title: 'Stop using getPet' },
] as const;

/** What a developer needs in the first ten minutes. */
export function renderGuide(): string {
  return guideSections
    .map(({ id, title }) => `<section id="${id}"><h2>${escapeHtml(title)}</h2>${content[id]}</section>`)
    .join('\n');
}

const advice: Record<ErrorCode, string> = {
  unauthorized: 'Send one key in the Authorization header.',
  invalid_api_key: 'The key is unknown, expired or revoked. Ask for another one.',
  not_found: 'No such pet, or no such path.',
  method_not_allowed: 'Use a method from the Allow header.',
  invalid_parameter: 'Fix the parameter or header that the message names.',
  invalid_cursor: 'Start again at the first page and follow its links unchanged.',
  invalid_json: 'Send valid JSON in UTF-8.',
  invalid_pet: 'Fix the fields that the message names. It names every wrong field.',
  payload_too_large: 'Send at most 64 KiB.',
  unsupported_media_type: 'Send Content-Type: application/json.',
  idempotency_conflict: 'This key was used for another pet. Choose a new key for a new pet.',
  precondition_failed: 'The ETag no longer matches your If-Match. Fetch again, then decide.',
  forbidden: 'The key is read-only: it may list and fetch, and change nothing. Ask for another one.',
  rate_limited: 'Wait as long as Retry-After says, then retry.',
  overloaded: 'Too many requests are waiting. Wait as long as Retry-After says, then retry.',
  unavailable: 'The store is not available now. Wait as long as Retry-After says, then retry.',
  internal: 'The service failed. If it keeps failing, report the request id.',
};

const content: Record<(typeof guideSections)[number]['id'], string> = {
  key: `<p>Every call needs an API key. Whoever runs the service creates one for you. It is shown once:</p>
${renderCode('petstore keys create --name my-program')}
<p>Keep it out of your source code and pass it to your program as <code>API_KEY</code>. Send it in the header
<code>Authorization: Bearer &lt;API_KEY&gt;</code>, never in a URL.</p>`,

  'first-call': `<p>List the pets. A new store has none.</p>
${renderExample(examples.firstCall)}
<p>The TypeScript client has no dependencies and runs in browsers, Node, Bun and Deno. It comes with the source code of this
service and is not in a registry. Build the package in a clone of the source code:</p>
${renderCode('npm ci && npm pack')}
<p>Then install the tarball in your project:</p>
${renderCode(`npm install ./petstore-${version}.tgz`)}`,

  create: `<p>A pet has a name, a category and an optional status: <code>available</code>, <code>pending</code> or
<code>sold</code>. The service assigns the <code>id</code> and responds once the pet is stored durably.</p>
${renderExample(examples.create)}
<p>Ids and categories are exact 64-bit integers. JSON parsers that use doubles lose digits beyond 2<sup>53</sup>; the client
returns <code>bigint</code>.</p>`,

  retries: `<p>You can always retry a read. You can retry a create if it carries an <code>Idempotency-Key</code> of your choice: the
same key with the same pet returns the first response again and adds nothing. Keys are kept for at least 24 hours. After a 429 or
503, wait for the number of seconds in <code>Retry-After</code>. After a lost connection, wait a little longer each time.</p>
${renderExample(examples.retries)}
<p>The client does all of this for you: it creates a key for each create, retries for up to a minute with growing, random
pauses, and honors <code>Retry-After</code>.</p>`,

  pages: `<p>A list comes in pages of at most 100 pets, ordered by ascending <code>id</code>. If more pets follow, the
<code>Link</code> header with <code>rel="next"</code> holds the next page, relative to the URL of the request. Follow it
unchanged until a response has none. You get every pet that existed when you started exactly once.</p>
${renderExample(examples.pages)}`,

  errors: `<p>Every error has the same three fields: <code>code</code> for programs, <code>message</code> for people, and
<code>status</code>, the HTTP status. Check the <code>code</code>. Quote the <code>X-Request-Id</code> header when you report
a problem.</p>
${renderExample(examples.errors)}
${renderErrorCodes()}`,

  deprecation: `<p>Getting one pet by its id, <code>GET /v1/pets/{petId}</code>, has been deprecated since 14 November 2026 and
will be removed on 5 December 2030. It works until then. Each response says so in the <code>Deprecation</code>,
<code>Sunset</code> and <code>Link</code> headers.</p>
<p>Use <code>GET /v1/pets</code> with the <code>status</code> filter instead: list the pets that you work with, keep them by id,
and list again with <code>If-None-Match</code> to check cheaply for changes.</p>
${renderExample(examples.deprecation)}`,
};

function renderErrorCodes(): string {
  const codes = (Object.keys(advice) as ErrorCode[]).toSorted(
    (one, other) => statusOfCode[one] - statusOfCode[other],
  );
  return renderTerms(
    codes.map((code) => [
      `${renderStatus(statusOfCode[code])} <code>${code}</code>`,
      escapeHtml(advice[code]),
    ]),
    'errors',
  );
}

function renderExample({ curl, typescript, prints }: Example): string {
  const printed = typeof prints === 'string' ? { curl: prints, typescript: prints } : prints;
  return `<div class="example" data-address="${exampleAddress}">
${renderFigure('curl', 'curl', curl, printed.curl)}
${renderFigure('typescript', 'TypeScript', typescript, printed.typescript)}
</div>`;
}

function renderFigure(language: string, label: string, text: string, prints: string): string {
  return `<figure data-language="${language}"><figcaption>${label}</figcaption>
${renderCode(text)}${renderCode(prints, 'Output')}</figure>`;
}
