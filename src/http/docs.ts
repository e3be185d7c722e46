import { hash } from 'node:crypto';
import openapiSource from '../../openapi.yaml' with { type: 'text' };
import type { Answer } from './answer.ts';
import type { Handler } from './endpoint.ts';

export interface Docs {
  homePage: Handler;
  docsPage: Handler;
  openapiYaml: Handler;
  openapiJson: Handler;
}

/** The contract in both notations, and the two pages for people that lead to it. */
export function createDocs(): Docs {
  const yaml = openapiSource as unknown as string;
  const yamlAnswer = document('application/yaml', yaml);
  let jsonAnswer: Answer | undefined;
  return {
    homePage: () => homeAnswer,
    docsPage: () => docsAnswer,
    openapiYaml: () => yamlAnswer,
    // Parsed on the first request for it: it costs a tenth of the time to start.
    openapiJson: () =>
      (jsonAnswer ??= document('application/json', JSON.stringify(Bun.YAML.parse(yaml), null, 2))),
  };
}

const style = `
  :root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif; }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem; }
  code { font-size: .95em; overflow-wrap: anywhere; }
  dt { margin-top: 1rem; }`;

const homeAnswer = page(
  'Petstore',
  `<p>This service keeps the animals of a store.</p>
  <ul>
    <li><a href="/docs">How to call it</a></li>
    <li>The contract: <a href="/openapi.yaml">openapi.yaml</a>, <a href="/openapi.json">openapi.json</a></li>
  </ul>`,
);

const docsAnswer = page(
  'Petstore API',
  `<p>Every call carries an API key: <code>Authorization: Bearer &lt;API_KEY&gt;</code>. The operator makes one
  with <code>petstore keys create</code>. The whole contract, with every header, status and error code, is
  <a href="/openapi.yaml">openapi.yaml</a> (<a href="/openapi.json">as JSON</a>).</p>
  <h2>Operations</h2>
  <dl>
    <dt><code>GET /v1/pets?limit=20&amp;status=available</code></dt>
    <dd>Lists animals by ascending id. When more follow, the <code>Link</code> header with
    <code>rel="next"</code> leads to the next page; follow it as it is.</dd>
    <dt><code>POST /v1/pets</code></dt>
    <dd>Adds an animal: <code>{"name": "Rex", "categoryId": 1, "status": "available"}</code>. Send an
    <code>Idempotency-Key</code> of your choice, and the call is safe to repeat.</dd>
    <dt><code>GET /v1/pets/{petId}</code> (deprecated)</dt>
    <dd>Fetches one animal by its id.</dd>
  </dl>
  <h2>Errors</h2>
  <p>Every error has the same body: <code>code</code> for programs, <code>message</code> for people, and
  <code>status</code>, the HTTP status. Quote the <code>X-Request-Id</code> of an answer when you report a problem.</p>
  <h2 id="deprecation">Moving off <code>GET /v1/pets/{petId}</code></h2>
  <p>Fetching one animal by id is deprecated since 14 November 2026 and will be removed on 5 December 2030. Until
  then it keeps working; its answers say so in the <code>Deprecation</code> and <code>Sunset</code> headers. Use
  <code>GET /v1/pets</code> with the <code>status</code> filter instead.</p>`,
);

/** A page without script; its one style sheet is allowed by its hash. */
function page(title: string, content: string): Answer {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
<h1>${title}</h1>
${content}
</html>
`;
  const answer = document('text/html; charset=utf-8', html);
  answer.headers['Content-Security-Policy'] =
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; frame-ancestors 'none'`;
  return answer;
}

function document(contentType: string, body: string): Answer {
  return { status: 200, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-cache' }, body };
}
