/** The part of an OpenAPI document that `/docs` shows. */
export interface OpenapiDocument {
  info: { title: string; version: string; summary?: string };
  paths: Record<string, PathItem>;
  components?: unknown;
}

export interface PathItem {
  parameters?: Reference<Parameter>[];
  get?: Operation;
  post?: Operation;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  parameters?: Reference<Parameter>[];
  requestBody?: { description?: string; content: Record<string, MediaType> };
  responses: Record<string, Reference<ApiResponse>>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Reference<Schema>;
  example?: unknown;
}

export interface ApiResponse {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema?: Reference<Schema>;
  examples?: Record<string, Reference<{ value: unknown }>>;
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
  properties?: Record<string, Reference<Schema>>;
  items?: Reference<Schema>;
}

export type Reference<Value> = Value | { $ref: string };

/** Makes the function that follows `$ref` inside of a document. */
export function createResolver(contract: OpenapiDocument) {
  return <Value extends object>(value: Reference<Value>): Value => {
    if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value;
    const steps = value.$ref.replace(/^#\//, '').split('/');
    const found = steps.reduce<unknown>((place, step) => (place as Record<string, unknown>)[step], contract);
    const { $ref: _, ...beside } = value;
    // OpenAPI 3.1 lets a description stand beside a reference and win.
    return { ...(found as Value), ...beside };
  };
}

export interface NamedOperation extends Operation {
  method: 'GET' | 'POST';
  path: string;
}

/** The operations with a tag, in the order of the document. */
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
