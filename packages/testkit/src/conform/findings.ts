import { subjectOf } from './check.ts';
import type { CheckResult } from './run.ts';

/** One cause: the failure that shows it best, and the failures that follow from it. */
export interface Finding {
  result: CheckResult;
  followers: CheckResult[];
}

/** The subjects that show a cause best come first: a service that cannot create pets fails in every subject. */
const clearest = ['create', 'list', 'get', 'create-invalid', 'int64'];

/** A check of creates may also fetch the pet. If only the fetch fails, a check of getPet is the better title. */
const operationOfSubject: Record<string, string> = {
  create: 'POST /pets',
  'create-invalid': 'POST /pets',
  list: 'GET /pets',
  get: 'GET /pets/{petId}',
};

/** Groups failures by reason; `a > b` belongs to `a` if something failed for `a` alone. */
export function findingsOf(results: CheckResult[]): Finding[] {
  const failed = results.filter(({ failure }) => failure);
  const reasons = new Set(failed.map(reasonOf));
  const groups = new Map<string | undefined, CheckResult[]>();
  for (const result of failed) {
    const steps = reasonOf(result).split(' > ');
    const prefixes = steps.map((_, index) => steps.slice(0, index + 1).join(' > '));
    const cause = prefixes.find((prefix) => reasons.has(prefix));
    groups.set(cause, [...(groups.get(cause) ?? []), result]);
  }
  return [...groups.values()].flatMap((group) => {
    const [result, ...followers] = group.toSorted((one, other) => rankOf(one) - rankOf(other));
    return result ? [{ result, followers }] : [];
  });
}

function reasonOf({ failure }: CheckResult): string {
  return failure?.reason ?? '';
}

function rankOf({ check, failure }: CheckResult): number {
  const subject = subjectOf(check.name);
  const rank = clearest.indexOf(subject);
  const isElsewhere = subject in operationOfSubject && operationOfSubject[subject] !== failure?.operation;
  return rank === -1 || isElsewhere ? clearest.length : rank;
}
