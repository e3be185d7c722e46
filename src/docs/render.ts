import { escapeHtml, renderHtml } from '../console/html.ts';
import { operationsOf, type OpenapiDocument } from './contract.ts';
import { guideSections, renderGuide } from './guide.ts';
import { renderReference } from './reference.ts';

/** The guide and the API reference. They need no script; `browser/docs.ts` adds the forms to try calls. */
export function renderDocs(contract: OpenapiDocument, addresses: Record<string, string>): string {
  const { title, version, summary = '' } = contract.info;
  const operations = operationsOf(contract, 'Pets').map(({ operationId: id }) => ({ id, title: id }));
  const body = `<a class="skip" href="#content">Skip to content</a>
<header class="bar"><div class="bar-inner"><a class="brand" href="./">${escapeHtml(title)}</a>
<nav aria-label="Contract"><a href="openapi.yaml">openapi.yaml</a><a href="openapi.json">openapi.json</a></nav></div></header>
<div class="docs">
<nav class="contents" aria-label="Contents">
<h2>Getting started</h2>${renderLinks(guideSections)}
<h2>Reference</h2>${renderLinks(operations)}
</nav>
<main id="content">
<h1>${escapeHtml(title)} API</h1>
<p class="lead">${escapeHtml(summary)} Version ${escapeHtml(version)}, under <code>/v1</code>.</p>
<div class="guide">
<fieldset class="language" hidden><legend class="visually-hidden">Language of the examples</legend>
<label class="choice"><input type="radio" name="language" value="curl" checked><span>curl</span></label>
<label class="choice"><input type="radio" name="language" value="typescript"><span>TypeScript</span></label></fieldset>
${renderGuide()}
</div>
<section id="reference"><h2>Reference</h2>
<p>Generated from <a href="openapi.yaml">openapi.yaml</a>. Tests hold the service to it.</p>
<form class="key-form card" aria-label="Your API key" hidden>
<div class="field"><label for="try-key">API key for trying calls</label>
<input id="try-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="try-key-help">
<p class="help" id="try-key-help">Kept until you close this tab. Calls that you send here are real.</p></div></form>
</section>
${renderReference(contract)}
</main>
</div>`;
  return renderHtml({ title: `${title} API`, description: summary, name: 'docs', body }, addresses);
}

function renderLinks(entries: readonly { id: string; title: string }[]): string {
  const items = entries.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<ul>${items.join('')}</ul>`;
}
