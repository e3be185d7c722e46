import type { DocumentedOperation } from './openapi.ts';

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
