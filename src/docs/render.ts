import { operationsOf, type OpenapiDocument } from './contract.ts';
import { guideSections, renderGuide } from './guide.ts';
import { renderReference } from './reference.ts';
import { escapeHtml, htmlPage } from '../console/html.ts';

/** The API reference and the guide to it, whole without script; the script adds the trying. */
export function renderDocs(contract: OpenapiDocument, addresses: Record<string, string>): string {
  const { title, version, summary = '' } = contract.info;
  const links = (entries: { id: string; title: string }[]) =>
    `<ul>${entries.map((entry) => `<li><a href="#${entry.id}">${escapeHtml(entry.title)}</a></li>`).join('')}</ul>`;
  const operations = operationsOf(contract, 'Pets').map(({ operationId }) => ({
    id: operationId,
    title: operationId,
  }));
  return htmlPage({
    title: `${title} API`,
    description: summary,
    script: addresses['docs.js'] ?? '',
    styleSheet: addresses['docs.css'] ?? '',
    icon: addresses['icon.svg'] ?? '',
    body: `<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><div class="bar-inner"><a class="brand" href="./">${escapeHtml(title)}</a>
<nav aria-label="Contract"><a href="openapi.yaml">openapi.yaml</a><a href="openapi.json">openapi.json</a></nav></div></header>
<div class="docs">
<nav class="contents" aria-label="On this page">
<h2>First ten minutes</h2>${links([...guideSections])}
<h2>Reference</h2>${links(operations)}
</nav>
<main id="content">
<h1>${escapeHtml(title)} API</h1>
<p class="lead">${escapeHtml(summary)} Version ${escapeHtml(version)}, under <code>/v1</code>.</p>
<div class="guide">
<fieldset class="language" hidden><legend class="unseen">Language of the examples</legend>
<label><input type="radio" name="language" value="curl" checked><span>curl</span></label>
<label><input type="radio" name="language" value="typescript"><span>TypeScript</span></label></fieldset>
${renderGuide()}
</div>
<section id="reference"><h2>Reference</h2>
<p>This is <a href="openapi.yaml">openapi.yaml</a>, which is also tested against the service.</p>
<form class="key-form card" aria-label="Your key" hidden>
<div class="field"><label for="try-key">API key for trying</label>
<input id="try-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="try-key-help">
<p class="help" id="try-key-help">Kept for this tab alone. What you send here is real.</p></div></form>
</section>
${renderReference(contract)}
</main>
</div>`,
  });
}
