import { PetstoreError } from 'petstore-server/embed';
import { parseFault, type Fault } from './fault.ts';

/** A fault for the next requests of one operation. */
export interface PlannedFault {
  operation: keyof typeof operations;
  /** The value of a `Petstore-Fault` header. */
  fault: string;
  /** How many requests it still affects. */
  count: number;
}

export interface PlannedFaults {
  /** Takes the fault for this request and counts it. Earlier plans come first. */
  take(request: Request): Fault | undefined;
  /** Adds the faults in a request's body. Fails with the error for its caller. */
  add(request: Request): Promise<void>;
  list(): PlannedFault[];
  clear(): void;
}

/** Matches the requests of each operation. HEAD matches none. */
export const operations = {
  listPets: /^GET \/v1\/pets$/,
  createPet: /^POST \/v1\/pets$/,
  searchPets: /^GET \/v1\/pets\/search$/,
  getPet: /^GET \/v1\/pets\/(?!search$)[^/]+$/,
  updatePet: /^PATCH \/v1\/pets\/[^/]+$/,
  deletePet: /^DELETE \/v1\/pets\/[^/]+$/,
  listCategories: /^GET \/v1\/categories$/,
  getCategory: /^GET \/v1\/categories\/[^/]+$/,
  putCategory: /^PUT \/v1\/categories\/[^/]+$/,
  deleteCategory: /^DELETE \/v1\/categories\/[^/]+$/,
  listOrders: /^GET \/v1\/store\/orders$/,
  listEvents: /^GET \/v1\/events$/,
  getKey: /^GET \/v1\/key$/,
};
const longestCount = 1_000_000;

export function createPlannedFaults(): PlannedFaults {
  let planned: { shown: PlannedFault; fault: Fault }[] = [];
  return {
    take(request) {
      const line = `${request.method} ${pathOf(request)}`;
      const next = planned.find(({ shown }) => operations[shown.operation].test(line));
      if (!next) return undefined;
      next.shown.count -= 1;
      if (next.shown.count === 0) planned = planned.filter((other) => other !== next);
      return next.fault;
    },
    async add(request) {
      const shown = plannedFaultOf(await request.text());
      planned.push({ shown, fault: parseFault(shown.fault) });
    },
    list: () => planned.map(({ shown }) => shown),
    clear: () => void (planned = []),
  };
}

/** An HTTP/1.0 request may have no host, and its URL is then a bare path. */
export function pathOf({ url }: Request): string {
  return URL.parse(url, 'http://localhost')?.pathname ?? '';
}

function plannedFaultOf(text: string): PlannedFault {
  const { operation, fault, count = 1 } = parseObject(text);
  if (!isOperation(operation))
    throw invalid(`operation must be one of ${Object.keys(operations).join(', ')}`);
  if (typeof fault !== 'string') throw invalid('fault must be a text such as "cut=after-commit"');
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > longestCount)
    throw invalid(`count must be an integer from 1 to ${longestCount}`);
  return { operation, fault, count };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    // Any other JSON value lacks the fields and is refused for that.
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    throw new PetstoreError('invalid_json', 'The body must be JSON.');
  }
}

function isOperation(value: unknown): value is PlannedFault['operation'] {
  return typeof value === 'string' && Object.hasOwn(operations, value);
}

function invalid(problem: string): PetstoreError {
  return new PetstoreError('invalid_parameter', `The fault cannot be planned: ${problem}.`);
}
