import { dereference } from '../../../src/docs/contract.ts';
import { contractYaml, experimentalContract } from '../../../src/http/web/contract.ts';

/** The documents as data for tests: every reference replaced by what it names. */

export interface Schema {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
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
  headers: Record<string, Header>;
  content?: Record<string, Content>;
}

export type Responses = Record<string, DocumentedResponse>;

export interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: Schema;
  example: string | number;
}

export interface OperationObject {
  operationId: string;
  'x-stability'?: string;
  deprecated?: boolean;
  /** Empty for what needs no key. */
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Responses;
}

const methods = ['get', 'post', 'patch', 'delete', 'options'] as const;
export type Method = (typeof methods)[number];

export interface PathItem extends Partial<Record<Method, OperationObject>> {
  get: OperationObject;
  parameters?: Parameter[];
}

export interface Openapi {
  servers: { url: string }[];
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, Schema>; examples: Record<string, Example> };
  'x-any-other-path': { responses: Responses };
}

/** A document, and what follows from it. */
export interface Contract {
  /** The file that a message names. */
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

/** The responses to a method that a path does not list. */
const statusesOfOtherMethods = ['401', '405', '429', '500', '503'];

export const v1: Contract = contractOf('openapi.yaml', withoutConsole(Bun.YAML.parse(contractYaml({}))));
export const { openapi, operations } = v1;

/** With the experimental operations, as a service has them unless it is started with `--stable-only`. */
export const experimental: Contract = contractOf(
  'openapi.experimental.yaml',
  experimentalContract(contractYaml({})),
);

/** With the stable operations alone, there is no console. */
function withoutConsole(source: unknown): unknown {
  const { paths, ...others } = source as { paths: Record<string, unknown> };
  const { '/': _console, ...otherPaths } = paths;
  return { ...others, paths: otherPaths };
}

function contractOf(name: string, source: unknown): Contract {
  const document = dereference(source) as Openapi;
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method): DocumentedOperation[] => {
      const operation = item[method];
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ ...operation, parameters, path, method: method.toUpperCase() as Uppercase<Method> }];
    }),
  );
  return { name, openapi: document, operations: all };
}

/** The responses that a document allows for a request, by status. HEAD responds as GET does. */
export function documentedResponses(method: string, url: string, contract: Contract): Responses {
  const { paths, 'x-any-other-path': anyOtherPath } = contract.openapi;
  // `/docs/` is documented as a response of `/docs`: OpenAPI linters refuse a path with a trailing slash.
  const path = pathOf(url).replace(/^\/docs\/$/, '/docs');
  const item = Object.entries(paths).find(([template]) => matches(template, path))?.[1];
  if (!item) return anyOtherPath.responses;
  const documentedMethod = method === 'HEAD' ? 'get' : methods.find((name) => name === method.toLowerCase());
  const operation = documentedMethod && item[documentedMethod];
  // Each operation documents 405 for the methods that are not operations; it is no response of its own.
  return operation
    ? pick(operation.responses, (status) => status !== '405')
    : pick(item.get.responses, (status) => statusesOfOtherMethods.includes(status));
}

/** A request target has no fragment: what looks like one belongs to the path, or to the query. */
function pathOf(url: string): string {
  const { pathname } = new URL(url, 'http://localhost');
  const [beforeQuery = ''] = url.split('?');
  const hashAt = beforeQuery.indexOf('#');
  return hashAt === -1 ? pathname : pathname + beforeQuery.slice(hashAt);
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/');
  const given = decode(path).split('/');
  return (
    wanted.length === given.length &&
    wanted.every(
      (segment, index) => segment === given[index] || (segment.startsWith('{') && given[index] !== ''),
    )
  );
}

/** `/v1/pe%74s` is `/v1/pets` (RFC 3986, section 6.2.2.2). */
function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function pick(responses: Responses, isWanted: (status: string) => boolean): Responses {
  return Object.fromEntries(Object.entries(responses).filter(([status]) => isWanted(status)));
}
