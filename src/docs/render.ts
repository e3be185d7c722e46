import { escapeHtml, renderHtml } from '../../packages/console/src/html.ts';
import { exampleAddress } from '../../packages/console/src/docs/code/request.ts';
import { addressesOf } from './addresses.ts';
import { sampleLanguages } from './code/sample.ts';
import { operationsOf, type NamedOperation, type OpenapiDocument } from './contract.ts';
import { guideSections, renderGuide } from './guide/guide.ts';
import { renderOperations } from './reference/reference.ts';

/** The guide and the API reference. They need no script; `packages/console/src/docs/docs.ts` adds what can be clicked. */
export function renderDocs(contract: OpenapiDocument, addresses: Record<string, string>): string {
  const { title, summary = '' } = contract.info;
  const operations = operationsOf(contract);
  const stable = operations.filter(({ isExperimental }) => !isExperimental);
  const experimental = operations.filter(({ isExperimental }) => isExperimental);
  const [first] = addressesOf(contract);
  const address = escapeHtml(first?.base ?? exampleAddress);
  const samples = [
    renderGuide(),
    referenceIntroduction,
    renderOperations(stable),
    renderExperimental(experimental),
  ];
  const body = `<a class="skip" href="#content">Skip to content</a>
<header class="bar"><div class="bar-inner"><a class="brand" href="./">${escapeHtml(title)} <span>API</span></a>
${renderLanguages()}</div></header>
<div class="docs">
${renderContents(contract, stable, experimental)}
<main id="content">
${renderIntroduction(contract)}
<div data-address="${address}">${samples.join('\n').replaceAll(exampleAddress, address)}</div>
</main>
</div>`;
  return renderHtml({ title: `${title} API`, description: summary, name: 'docs', body }, addresses);
}

const referenceIntroduction = `<section id="reference"><h2>Reference</h2>
<p>Generated from <a href="openapi.yaml">openapi.yaml</a>, which tests compare with the running service.</p></section>`;

function renderLanguages(): string {
  const choices = Object.entries(sampleLanguages).map(
    ([value, { label }]) =>
      `<label class="choice"><input type="radio" name="language" value="${value}"><span>${label}</span></label>`,
  );
  return `<fieldset class="language" hidden><legend class="visually-hidden">Language of the samples</legend>
${choices.join('\n')}</fieldset>`;
}

function renderContents(
  { paths }: OpenapiDocument,
  stable: NamedOperation[],
  experimental: NamedOperation[],
): string {
  const documents = Object.keys(paths).filter((path) => path.startsWith('/openapi.'));
  const links = documents.map((path) => {
    const title = path.replace(/^\/(?:openapi\.(?=experimental))?/, '');
    return `<li><a href="${path.slice(1)}">${title}</a></li>`;
  });
  const groups = [
    renderLinks('Guide', guideSections),
    renderLinks('Reference', stable.map(toEntry)),
    ...(experimental.length > 0 ? [renderLinks('Experimental', experimental.map(toEntry))] : []),
    `<div><h2>Contract</h2><ul>${links.join('\n')}</ul></div>`,
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

function renderExperimental(operations: NamedOperation[]): string {
  if (operations.length === 0) return '';
  return `<section id="experimental"><h2>Experimental</h2>
<p>The operator has turned these operations on. They are not part of v1: any release may change or remove them. Send <code>Petstore-Stability: experimental</code> with each request. Without it, the service responds as if these
operations did not exist.</p>
<p>A walk through all pages may miss a pet that is changed or deleted meanwhile. It visits every other pet exactly
once.</p></section>
${renderOperations(operations)}`;
}
