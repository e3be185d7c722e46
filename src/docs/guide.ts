import { version } from '../../package.json';
import { statusOfCode, type ErrorCode } from '../error.ts';
import { exampleAddress, examples, type Example } from './examples.ts';
import { escapeHtml } from '../console/html.ts';

/** The sections of the guide, for the page and its table of contents. */
export const guideSections = [
  { id: 'key', title: 'Get a key' },
  { id: 'first-call', title: 'Make the first call' },
  { id: 'create', title: 'Add a pet' },
  { id: 'retries', title: 'Repeat safely' },
  { id: 'pages', title: 'Walk through pages' },
  { id: 'errors', title: 'Handle errors' },
  { id: 'deprecation', title: 'Move off getPet' },
] as const;

/** A developer's first ten minutes. */
export function renderGuide(): string {
  return guideSections
    .map(({ id, title }) => `<section id="${id}"><h2>${escapeHtml(title)}</h2>${content[id]}</section>`)
    .join('\n');
}

const content: Record<(typeof guideSections)[number]['id'], string> = {
  key: `<p>Every call carries an API key. The person who runs the service makes one for you, and it is shown once:</p>
${codeBlock('petstore keys create --name my-program')}
<p>Keep it out of your source and give it to your program as <code>API_KEY</code>. It goes into one header,
<code>Authorization: Bearer &lt;API_KEY&gt;</code>, and never into an address.</p>`,

  'first-call': `<p>List the pets. A new store has none.</p>
${example(examples.firstCall)}
<p>The TypeScript client has no dependency and runs in browsers, Node, Bun and Deno. It comes with the source of this service
and is in no registry. In a clone of the source, make the package:</p>
${codeBlock('npm ci && npm pack')}
<p>Install the file that this makes, from wherever you put it, in your program:</p>
${codeBlock(`npm install ./petstore-${version}.tgz`)}`,

  create: `<p>A pet has a name, a category and, if you like, a status: <code>available</code>, <code>pending</code> or
<code>sold</code>. The service assigns the <code>id</code> and answers once the pet is stored durably.</p>
${example(examples.create)}
<p>Identifiers are integers of 64 bits, exact to the last digit. A parser that reads JSON numbers as doubles loses digits past
2<sup>53</sup>; the client gives you <code>bigint</code>.</p>`,

  pages: `<p>A list comes in pages of at most 100, in ascending order of <code>id</code>. When more follow, the
<code>Link</code> header with <code>rel="next"</code> leads to the next page. It is relative to the address that you asked for;
follow it as it is, until an answer has none. You meet every pet that existed when you began exactly once.</p>
${example(examples.pages)}`,

  errors: `<p>Every error has the same three fields: <code>code</code> for programs, <code>message</code> for people, and
<code>status</code>, the HTTP status. Decide by <code>code</code>. Quote the <code>X-Request-Id</code> of the answer when you
report a problem.</p>
${example(examples.errors)}
${errorList()}`,

  retries: `<p>Reads can always be repeated. A create can be repeated when it carries an <code>Idempotency-Key</code> of your
choice: the same key with the same pet gives the first answer again, for at least 24 hours, and adds nothing. After 429 and
503, wait for the seconds of <code>Retry-After</code>; after a lost connection, wait a moment longer each time.</p>
${example(examples.retries)}
<p>The client does all of that by itself: it makes a key for each create, repeats up to four times with growing, random pauses,
and honours <code>Retry-After</code>.</p>`,

  deprecation: `<p>Fetching one pet by its id, <code>GET /v1/pets/{petId}</code>, is deprecated since 14 November 2026 and will be
removed on 5 December 2030. Until then it keeps working; each of its answers says so in the <code>Deprecation</code>,
<code>Sunset</code> and <code>Link</code> headers.</p>
<p>Use <code>GET /v1/pets</code> with the <code>status</code> filter instead: list the pets that you work with, keep them by id,
and list again with <code>If-None-Match</code> to learn cheaply whether anything changed.</p>
${example(examples.deprecation)}`,
};

function errorList(): string {
  const advice: Record<ErrorCode, string> = {
    unauthorized: 'Send a key, once, in the Authorization header.',
    invalid_api_key: 'The key is unknown, expired or revoked. Ask for another one.',
    not_found: 'There is no such pet, or no such address.',
    method_not_allowed: 'Use a method that the Allow header lists.',
    invalid_parameter: 'Fix the parameter or header that the message names.',
    invalid_cursor: 'Begin again at the first page, and follow its links as they are.',
    invalid_json: 'Send valid JSON in UTF-8.',
    invalid_pet: 'Fix the fields that the message names; it names all of them.',
    payload_too_large: 'Send at most 64 KiB.',
    unsupported_media_type: 'Send Content-Type: application/json.',
    idempotency_conflict: 'This key was used for another pet. Choose a new one for a new pet.',
    precondition_failed:
      'What is here has another ETag than you sent in If-Match. Get it again, then decide.',
    rate_limited: 'Wait for the seconds of Retry-After, then repeat.',
    overloaded: 'Too many requests wait. Wait for the seconds of Retry-After, then repeat.',
    unavailable: 'The store cannot be used now. Wait for the seconds of Retry-After, then repeat.',
    internal: 'A fault of the service. If it stays, report it with the request id.',
  };
  const items = Object.entries(advice)
    .map(([code, what]) => ({ code, what, status: statusOfCode[code as ErrorCode] }))
    .toSorted((one, other) => one.status - other.status)
    .map(
      ({ code, what, status }) => `<div class="item">
<dt><span class="code c${String(status).charAt(0)}">${status}</span> <code>${code}</code></dt><dd>${escapeHtml(what)}</dd></div>`,
    );
  return `<dl class="errors">${items.join('\n')}</dl>`;
}

function example({ curl, typescript, prints }: Example): string {
  const printed = typeof prints === 'string' ? { curl: prints, typescript: prints } : prints;
  return `<div class="example" data-address="${exampleAddress}">
${figure('curl', 'curl', curl, printed.curl)}
${figure('typescript', 'TypeScript', typescript, printed.typescript)}
</div>`;
}

function figure(language: string, label: string, text: string, prints: string): string {
  return `<figure data-language="${language}"><figcaption>${label}</figcaption>${codeBlock(text)}
<pre class="prints" tabindex="0" aria-label="What it prints"><code>${escapeHtml(prints)}</code></pre></figure>`;
}

function codeBlock(text: string): string {
  return `<pre tabindex="0" aria-label="Example"><code>${escapeHtml(text)}</code></pre>`;
}
