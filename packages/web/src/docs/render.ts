import { escapeHtml, renderHtml } from '../html.ts';
import { exampleAddress } from './code.ts';
import { sampleLanguages } from './samples.ts';
import { dereference, operationsOf, type NamedOperation, type OpenapiDocument } from './contract.ts';
import { guideSections, renderGuide, type StatusOfCode } from './guide.ts';
import { renderHeading, renderText } from './markup.ts';
import { markOf, renderOperations } from './reference.ts';

/** The guide and the reference of an OpenAPI document. They work without a script; `browser/docs.ts` adds interaction. */
export function renderDocs(
  document: unknown,
  statusOfCode: StatusOfCode,
  addresses: Record<string, string>,
): string {
  const contract = dereference(document) as OpenapiDocument;
  const { title, summary = '' } = contract.info;
  const operations = operationsOf(contract);
  const stableOnly = operations.every((operation) => operation['x-stability'] === undefined);
  const address = configuredAddress(contract);
  const sections = [
    renderIntroduction(contract),
    renderGuide(stableOnly, statusOfCode),
    renderReferenceIntroduction(contract, stableOnly),
    renderOperations(operations),
  ];
  const body = `<a class="skip" href="#content">Skip to content</a>
<header class="bar"><div class="bar-inner"><a class="brand" href="./">${escapeHtml(title)} <span>API</span></a>
${renderLanguages()}
<div class="field bar-key" hidden><input type="password" aria-label="API key" placeholder="API key" autocomplete="off" spellcheck="false"></div></div></header>
<div class="docs">
${renderContents(operations, stableOnly)}
<main id="content" data-address="${escapeHtml(address ?? '')}">
${sections.join('\n').replaceAll(exampleAddress, escapeHtml(address ?? exampleAddress))}
</main>
</div>`;
  return renderHtml({ title: `${title} API`, description: summary, name: 'docs', body }, addresses);
}

/**
 * The configured address without `/v1`, which starts the path of every operation. A relative address means this host,
 * whose address only the script knows.
 */
function configuredAddress({ servers = [] }: OpenapiDocument): string | undefined {
  const [first] = servers;
  return first && /^https?:/i.test(first.url) ? first.url.replace(/\/v1$/, '') : undefined;
}

function renderReferenceIntroduction({ info }: OpenapiDocument, stableOnly: boolean): string {
  const note = stableOnly
    ? ''
    : `\n<p id="stability">Beta operations are complete and supported; a change of one is announced a release before. Any
release may change or remove an experimental one.</p>`;
  return `<section id="reference">${renderHeading(2, 'reference', 'Reference')}
<p>Generated from <a href="openapi.yaml">openapi.yaml</a>, which tests compare with the running service.</p>${note}
${renderText(info.description ?? '')}</section>`;
}

function renderLanguages(): string {
  const choices = Object.entries(sampleLanguages).map(
    ([value, label]) =>
      `<label class="choice"><input type="radio" name="language" value="${value}"><span>${label}</span></label>`,
  );
  return `<fieldset class="language" hidden><legend class="visually-hidden">Language of the samples</legend>
${choices.join('\n')}</fieldset>`;
}

function renderContents(operations: NamedOperation[], stableOnly: boolean): string {
  const documents = ['openapi.yaml', 'openapi.json', 'openapi-3.0.json', 'petstore.arazzo.yaml'];
  const guide = guideSections.map(({ id, title }) => renderLink(`#${id}`, escapeHtml(title)));
  const reference = operations.map((operation) => {
    const { operationId, method, summary = operationId } = operation;
    const mark = markOf(operation);
    return renderLink(
      `#${operationId}`,
      `<span class="method ${method.toLowerCase()}">${method}</span> ${escapeHtml(summary)}${mark === undefined ? '' : ` <span class="mark">${mark}</span>`}`,
    );
  });
  const groups = [
    renderGroup('Guide', guide),
    renderGroup('Reference', [renderLink('#reference', 'Overview'), ...reference]),
    renderGroup(
      'Contract',
      documents.map((name) => renderLink(name, name)),
    ),
    // The console needs the marked operations, so `--stable-only` leaves it out.
    ...(stableOnly ? [] : [renderGroup('Console', [renderLink('./', 'Pets and sales')])]),
  ];
  return `<nav class="contents" aria-label="Contents"><details open><summary>Contents</summary>
<div class="groups">${groups.join('\n')}</div></details></nav>`;
}

function renderLink(address: string, html: string): string {
  return `<li><a href="${address}">${html}</a></li>`;
}

function renderGroup(title: string, links: string[]): string {
  return `<div><h2>${title}</h2><ul>${links.join('')}</ul></div>`;
}

/** The script replaces the default address with this host's. */
function renderIntroduction({ info: { title, version, summary = '' } }: OpenapiDocument): string {
  return `<section class="columns introduction"><div class="words"><h1>${escapeHtml(title)} API</h1>
<p class="lead">${escapeHtml(summary)} Version ${escapeHtml(version)}.</p>
<p>Read the guide in ten minutes, or go straight to the <a href="#reference">reference</a> and send real requests from
it.</p></div>
<div class="samples"><div class="block"><div class="block-head"><span>Address</span></div>
<pre tabindex="0" aria-label="Address"><code>${exampleAddress}/v1</code></pre></div></div></section>`;
}
