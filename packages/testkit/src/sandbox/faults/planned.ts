import { PetstoreError } from 'petstore-server/embed';
import type { PlannedFault } from '../../testing.mjs';
import { parseFault, type Fault } from './fault.ts';

/** A fault for the next requests of one operation; `count` is how many it still affects. */
type Plan = PlannedFault & { count: number };

export interface PlannedFaults {
  /** Takes the fault for this request and counts it. Earlier plans come first. */
  take(request: Request): Fault | undefined;
  /** Adds the fault in a request's body. Fails with the error for its caller. */
  add(request: Request): Promise<void>;
  list(): Plan[];
  clear(): void;
}

/** Matches the requests of each operation. HEAD matches none. */
export const operations: Record<PlannedFault['operation'], RegExp> = {
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
const maxCount = 1_000_000;

export function createPlannedFaults(): PlannedFaults {
  let entries: { plan: Plan; fault: Fault }[] = [];
  return {
    take(request) {
      const line = `${request.method} ${pathOf(request)}`;
      const entry = entries.find(({ plan }) => operations[plan.operation].test(line));
      if (!entry) return undefined;
      entry.plan.count -= 1;
      if (entry.plan.count === 0) entries = entries.filter((other) => other !== entry);
      return entry.fault;
    },
    async add(request) {
      const plan = parsePlan(await request.text());
      entries.push({ plan, fault: parseFault(plan.fault) });
    },
    list: () => entries.map(({ plan }) => plan),
    clear: () => void (entries = []),
  };
}

/** An HTTP/1.0 request may have no host, and its URL is then a bare path. */
export function pathOf({ url }: Request): string {
  return URL.parse(url, 'http://localhost')?.pathname ?? '';
}

function parsePlan(text: string): Plan {
  const { operation, fault, count = 1 } = parseObject(text);
  if (!isOperation(operation))
    throw invalid(`operation must be one of ${Object.keys(operations).join(', ')}`);
  if (typeof fault !== 'string') throw invalid('fault must be a text such as "cut=after-commit"');
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > maxCount)
    throw invalid(`count must be an integer from 1 to ${maxCount}`);
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
