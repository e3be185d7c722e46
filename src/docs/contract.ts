/** The part of a dereferenced OpenAPI document that `/docs` shows. */
export interface OpenapiDocument {
  info: { title: string; version: string; summary?: string };
  paths: Record<string, { parameters?: Parameter[]; get?: Operation; post?: Operation }>;
}

interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { description?: string; content: Record<string, MediaType> };
  responses: Record<
    string,
    { description: string; headers?: Record<string, unknown>; content?: Record<string, MediaType> }
  >;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

interface MediaType {
  schema?: Schema;
  examples?: Record<string, { value: unknown }>;
}

export interface Schema {
  type?: string;
  format?: string;
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
}

export interface NamedOperation extends Operation {
  method: 'GET' | 'POST';
  path: string;
}

/** The operations with this tag, in the order of the document. */
export function operationsOf(contract: OpenapiDocument, tag: string): NamedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const operation = item[method];
      if (!operation?.tags?.includes(tag)) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ ...operation, parameters, path, method: method === 'get' ? 'GET' : 'POST' } as const];
    }),
  );
}

/** Replaces every `$ref` in an OpenAPI document by what it names. Fields beside a `$ref` win (OpenAPI 3.1). */
export function dereference(node: unknown, document = node): unknown {
  if (Array.isArray(node)) return node.map((item) => dereference(item, document));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref: reference, ...own } = node as Record<string, unknown>;
  const target = typeof reference === 'string' ? dereference(find(reference, document), document) : {};
  const fields = Object.entries(own).map(([name, value]) => [name, dereference(value, document)]);
  return { ...(target as object), ...(Object.fromEntries(fields) as object) };
}

function find(reference: string, document: unknown): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce((node, step) => (node as Record<string, unknown>)[step], document);
}
