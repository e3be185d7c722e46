import { escapeHtml, renderHtml } from '../../packages/console/src/html.ts';
import { exampleAddress } from '../../packages/console/src/docs/code/request.ts';
import { sampleLanguages } from './code/sample.ts';
import { operationsOf, type NamedOperation, type OpenapiDocument } from './contract.ts';
import { guideSections, renderGuide } from './guide/guide.ts';
import { renderOperations } from './reference/reference.ts';

/** The guide and the API reference. They need no script; `packages/console/src/docs/docs.ts` adds what can be clicked. */
export function renderDocs(contract: OpenapiDocument, addresses: Record<string, string>): string {
  const { title, summary = '' } = contract.info;
  const operations = operationsOf(contract);
  const address = escapeHtml(addressesOf(contract)[0]?.base ?? exampleAddress);
  const samples = [renderGuide(), renderReferenceIntroduction(operations), renderOperations(operations)];
  const body = `<a class="skip" href="#content">Skip to content</a>
<header class="bar"><div class="bar-inner"><a class="brand" href="./">${escapeHtml(title)} <span>API</span></a>
${renderLanguages()}</div></header>
<div class="docs">
${renderContents(operations)}
<main id="content">
${renderIntroduction(contract)}
<div data-address="${address}">${samples.join('\n').replaceAll(exampleAddress, address)}</div>
</main>
</div>`;
  return renderHtml({ title: `${title} API`, description: summary, name: 'docs', body }, addresses);
}

/**
 * The addresses that the operator has configured, without `/v1`, which the path of every operation begins with. A relative
 * one is this host, whose address only the script knows.
 */
function addressesOf({ servers = [] }: OpenapiDocument): { base: string; description: string }[] {
  const configured = servers.filter(({ url }) => /^https?:/i.test(url));
  if (configured.length === 0) return [{ base: exampleAddress, description: 'The default address.' }];
  return configured.map(({ url, description = '' }) => ({ base: url.replace(/\/v1$/, ''), description }));
}

function renderReferenceIntroduction(operations: NamedOperation[]): string {
  const note = operations.some(({ stability }) => stability !== undefined)
    ? `\n<p id="stability">Beta operations are complete and supported; a change of one is announced a release before. Any
release may change or remove an experimental one.</p>`
    : '';
  return `<section id="reference"><h2>Reference</h2>
<p>Generated from <a href="openapi.yaml">openapi.yaml</a>, which tests compare with the running service.</p>${note}</section>`;
}

function renderLanguages(): string {
  const choices = Object.entries(sampleLanguages).map(
    ([value, { label }]) =>
      `<label class="choice"><input type="radio" name="language" value="${value}"><span>${label}</span></label>`,
  );
  return `<fieldset class="language" hidden><legend class="visually-hidden">Language of the samples</legend>
${choices.join('\n')}</fieldset>`;
}

function renderContents(operations: NamedOperation[]): string {
  const documents = ['openapi.yaml', 'openapi.json', 'openapi-3.0.json'];
  const groups = [
    renderLinks('Guide', guideSections),
    renderLinks('Reference', operations.map(toEntry)),
    `<div><h2>Contract</h2><ul>${documents.map((name) => `<li><a href="${name}">${name}</a></li>`).join('')}</ul></div>`,
  ];
  return `<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>
<div class="groups">${groups.join('\n')}</div></details></nav>`;
}

function toEntry({ operationId, summary = operationId }: NamedOperation): { id: string; title: string } {
  return { id: operationId, title: summary };
}

function renderLinks(title: string, entries: readonly { id: string; title: string }[]): string {
  const items = entries.map((entry) => `<li><a href="#${entry.id}">${escapeHtml(entry.title)}</a></li>`);
  return `<div><h2>${title}</h2><ul>${items.join('')}</ul></div>`;
}

/** The script turns the list of addresses into a choice and adds this host. */
function renderIntroduction(contract: OpenapiDocument): string {
  const { title, version, summary = '' } = contract.info;
  const items = addressesOf(contract).map(
    ({ base, description }) =>
      `<li data-base="${escapeHtml(base)}"><code>${escapeHtml(base)}/v1</code> <span class="help">${escapeHtml(description)}</span></li>`,
  );
  return `<section class="columns introduction"><div class="words"><h1>${escapeHtml(title)} API</h1>
<p class="lead">${escapeHtml(summary)} Version ${escapeHtml(version)}.</p>
<p>Read the guide in ten minutes, or go straight to the <a href="#reference">reference</a> and send real requests from
it.</p></div>
<div class="samples"><div class="block addresses"><div class="block-head"><span id="addresses">Address</span></div>
<ul aria-labelledby="addresses">${items.join('\n')}</ul></div></div></section>`;
}
