import { createPet, putCategory } from '../changes.ts';
import type { Service } from '../http/service.ts';
import type { DocumentedOperation, Parameter } from './openapi.ts';

/** How a request differs from the sound one that the document's examples make. */
export interface Change {
  method?: string;
  query?: [name: string, value: string][];
  headers?: Record<string, string>;
  /** Takes the place of the path parameter. */
  petId?: string;
  /** The body as it is sent. */
  body?: string;
  /** Empty sends none. */
  contentType?: string;
}

export interface DocumentedRequest {
  path: string;
  init: RequestInit;
}

/** A request for an operation, made of the document's examples unless changed. */
export function requestFor(operation: DocumentedOperation, change: Change = {}): DocumentedRequest {
  const { method = operation.method, query = [], headers = {} } = change;
  const path = operation.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(change.petId ?? String(exampleOf(operation, name))),
  );
  const init: RequestInit = { method, headers: { ...headers } };
  const [mediaType, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (method === operation.method && content) {
    const [example] = Object.values(content.examples ?? {});
    const { contentType = mediaType } = change;
    // Bytes, because text would bring a Content-Type of its own.
    init.body = new TextEncoder().encode(change.body ?? JSON.stringify(example?.value));
    if (contentType !== undefined && contentType !== '')
      init.headers = { ...headers, 'Content-Type': contentType };
  }
  return { path: query.length > 0 ? `${path}?${new URLSearchParams(query).toString()}` : path, init };
}

function exampleOf({ parameters }: DocumentedOperation, name: string): string | number {
  const parameter = parameters.find((candidate) => candidate.name === name);
  if (parameter?.example === undefined) throw new Error(`openapi.yaml has no example of ${name}.`);
  return parameter.example;
}

/**
 * Sends a request for an operation. A pet or category that is to be deleted is made first: none can be deleted twice. One
 * that is to be read or renamed has a name already.
 */
export async function sendTo(
  service: Service,
  operation: DocumentedOperation,
  change: Change = {},
): Promise<Response> {
  const petId = change.petId ?? (await targetOf(service, operation));
  const { path, init } = requestFor(operation, { ...change, ...(petId !== undefined && { petId }) });
  return service.call(path, init);
}

let lastCategory = 1000n;

async function targetOf(
  { pets }: Service,
  { operationId }: DocumentedOperation,
): Promise<string | undefined> {
  if (operationId === 'deletePet') return String((await pets.apply(createPet(rex))).id);
  if (operationId === 'deleteCategory')
    return String((await pets.apply(putCategory(++lastCategory, 'Cats'))).id);
  if (operationId === 'putCategory' || operationId === 'getCategory')
    await pets.apply(putCategory(7n, 'Cats'));
  return undefined;
}

/** Whether the example of a parameter goes with that of the cursor. A page of one pet has no successor. */
export function isBesideCursor({ name, in: place, example }: Parameter): boolean {
  return place === 'query' && example !== undefined && !['limit', 'cursor', 'id', 'petId'].includes(name);
}

const rex = { name: 'Rex', categoryId: 1n };
