import { dereference } from '../../../packages/web/src/docs/contract.ts';
import { contractOf } from '../../../src/http/contract.ts';

/** The document as data for tests: every reference replaced by what it names. */

export interface Schema {
  type?: string | string[];
  format?: string;
  description?: string;
  pattern?: string;
  const?: unknown;
  enum?: unknown[];
  'x-extensible-enum'?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: boolean;
}

export interface Example {
  value: unknown;
}

export interface Content {
  schema: Schema;
  examples?: Record<string, Example>;
}

export interface Header {
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface DocumentedResponse {
  description?: string;
  headers: Record<string, Header>;
  content?: Record<string, Content>;
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>;
}

export type Responses = Record<string, DocumentedResponse>;

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: Schema;
  example?: string | number;
}

export interface OperationObject {
  operationId: string;
  'x-stability'?: string;
  'x-sunset'?: string;
  deprecated?: boolean;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Responses;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof methods)[number];

export interface PathItem extends Partial<Record<Method, OperationObject>> {
  parameters?: Parameter[];
}

export interface Openapi {
  servers: { url: string; description: string }[];
  tags: { name: string }[];
  paths: Record<string, PathItem>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, Example>;
    responses: Record<string, DocumentedResponse>;
  };
}

/** A document, and what follows from it. */
export interface Contract {
  /** What a message calls it. */
  name: string;
  openapi: Openapi;
  operations: DocumentedOperation[];
}

export interface DocumentedOperation extends OperationObject {
  /** The whole path, as in `/v1/pets/{petId}`. */
  path: string;
  method: Uppercase<Method>;
  parameters: Parameter[];
}

/** What every service serves unless it is started with `--stable-only`. */
export const wholeContract: Contract = readContract('openapi.yaml', contractOf({}));
export const { openapi, operations } = wholeContract;

export const stableContract: Contract = readContract(
  'openapi.yaml with --stable-only',
  contractOf({ stableOnly: true }),
);

export function readContract(name: string, source: unknown): Contract {
  const document = dereference(source) as Openapi;
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method): DocumentedOperation[] => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      const whole = { path: `/v1${path}`, method: method.toUpperCase() as Uppercase<Method> };
      return [{ ...operation, ...whole, parameters }];
    }),
  );
  return { name, openapi: document, operations: all };
}
