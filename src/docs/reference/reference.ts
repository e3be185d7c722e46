import { escapeHtml } from '../../../packages/console/src/html.ts';
import { renderSample } from '../code/sample.ts';
import { schemaOf, type NamedOperation, type Parameter } from '../contract.ts';
import { renderText } from '../markup.ts';
import { fieldsOf, renderFields } from './fields.ts';
import { sampleOf } from './operation-sample.ts';
import { renderResponses } from './responses.ts';
import { renderTryForm } from './try-form.ts';

/** Operations: what they mean on one side, a sample on the other, and a form to try each. */
export function renderOperations(operations: NamedOperation[]): string {
  return operations.map(renderOperation).join('\n');
}

function renderOperation(operation: NamedOperation): string {
  const { operationId, method, path, summary = operationId, description = '' } = operation;
  return `<section class="operation" id="${operationId}">
<div class="columns"><div class="words">
<h3>${escapeHtml(summary)}${renderBadges(operation)}</h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code>
<a class="try-link" href="#${operationId}-try" hidden>Try it</a></p>
${renderText(description)}
${renderFields('Body', fieldsOf(schemaOf(operation.requestBody?.content)))}
${renderFields('Parameters', operation.parameters.toSorted(byLocation))}
${renderResponses(operation.responses)}
</div>
${renderSample(sampleOf(operation), operationId)}</div>
${renderTryForm(operation)}
</section>`;
}

function renderBadges({ deprecated, isExperimental }: NamedOperation): string {
  return (
    (deprecated ? ' <a class="badge" href="#deprecation">Deprecated</a>' : '') +
    (isExperimental ? ' <a class="badge" href="#experimental">Experimental</a>' : '')
  );
}

const locations = ['path', 'query', 'header'];

function byLocation(one: Parameter, other: Parameter): number {
  return locations.indexOf(one.in) - locations.indexOf(other.in);
}
