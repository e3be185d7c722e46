import { escapeHtml } from '../../html.ts';
import { renderSample } from '../samples.ts';
import { schemaOf, type NamedOperation, type Parameter } from '../contract.ts';
import { renderHeading, renderText } from '../markup.ts';
import { fieldsOf, renderFields } from './fields.ts';
import { sampleOf } from './operation-sample.ts';
import { renderResponses } from './responses.ts';
import { renderTryForm } from './try-form.ts';

/** Each operation with its description beside a sample, and a form to try it. */
export function renderOperations(operations: NamedOperation[]): string {
  return operations.map(renderOperation).join('\n');
}

function renderOperation(operation: NamedOperation): string {
  const { operationId, method, path, summary = operationId, description = '' } = operation;
  return `<section class="operation" id="${operationId}">
<div class="columns"><div class="words">
${renderHeading(3, operationId, summary, renderBadge(operation))}
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code>
<a class="try-link" href="#${operationId}-try" hidden>Try it</a></p>
${renderText(description)}
${renderFields('<h4>Body</h4>', fieldsOf(schemaOf(operation.requestBody?.content)))}
${renderFields('<h4>Parameters</h4>', operation.parameters.toSorted(byLocation))}
${renderResponses(operation.responses)}
</div>
${renderSample(sampleOf(operation), operationId)}</div>
${renderTryForm(operation)}
</section>`;
}

/** The mark of a deprecated or unstable operation. */
export function markOf({ deprecated, stability }: NamedOperation): string | undefined {
  return deprecated ? 'Deprecated' : stability && stability.charAt(0).toUpperCase() + stability.slice(1);
}

function renderBadge(operation: NamedOperation): string {
  const mark = markOf(operation);
  const explanation = operation.deprecated ? 'deprecation' : 'stability';
  return mark === undefined ? '' : ` <a class="badge" href="#${explanation}">${mark}</a>`;
}

const locations = ['path', 'query', 'header'];

function byLocation(one: Parameter, other: Parameter): number {
  return locations.indexOf(one.in) - locations.indexOf(other.in);
}
