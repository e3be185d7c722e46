/** The part of a dereferenced OpenAPI document that `/docs` shows. */
export interface OpenapiDocument {
  info: { title: string; version: string; summary?: string; description?: string };
  servers?: { url: string }[];
  paths: Record<string, PathItem>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type PathItem = { parameters?: Parameter[] } & { [method in (typeof methods)[number]]?: OperationObject };

interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  'x-stability'?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, DocumentedResponse>;
}

export interface DocumentedResponse {
  description: string;
  headers?: Record<string, { description?: string }>;
  content?: Record<string, MediaType>;
}

type Scalar = string | number | boolean | null;

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: Scalar;
}

interface MediaType {
  schema?: Schema;
  examples?: Record<string, Example>;
}

export interface Example {
  summary?: string;
  value: unknown;
}

export interface Schema {
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: Scalar[];
  minimum?: number;
  maximum?: number;
  default?: Scalar;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
}

export interface NamedOperation extends OperationObject {
  method: string;
  path: string;
  parameters: Parameter[];
}

/** The operations in document order. Each path starts with `/v1`, which the document's servers end in. */
export function operationsOf(contract: OpenapiDocument): NamedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(operation.parameters ?? []), ...(item.parameters ?? [])];
      return [{ ...operation, method: method.toUpperCase(), path: `/v1${path}`, parameters }];
    }),
  );
}

const jsonMediaType = 'application/json';

/** The examples of a JSON body; empty without one. */
export function examplesOf(content: Record<string, MediaType> | undefined): Example[] {
  return Object.values(content?.[jsonMediaType]?.examples ?? {});
}

export function schemaOf(content: Record<string, MediaType> | undefined): Schema {
  return content?.[jsonMediaType]?.schema ?? {};
}

/** Replaces every `$ref` in an OpenAPI document with its target. Fields beside a `$ref` win (OpenAPI 3.1). */
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
