import { petText, type Pet } from './history.ts';

/** One pet at one moment, with the statuses of the orders that its changes called for until then. */
export interface PetState {
  pet: Pet | undefined;
  orders: readonly string[];
}

/** An operation as far as it concerns one pet. */
export interface Step {
  what: string;
  from: number;
  /** Infinity if the outcome is unknown: it takes effect at any later moment, or never. */
  to: number;
  changes: boolean;
  /** The state after it; undefined where its response could not have been given. */
  apply: (state: PetState) => PetState | undefined;
  /** What the pet was like by the response, as `petText` says it. */
  shows?: string;
}

export type Linearization =
  | { verdict: 'found'; ends: PetState[] }
  /** At the end of this step, no order of the steps explains all responses so far. */
  | { verdict: 'impossible' | 'undecided'; at: Step; before: PetState[] };

/** One way in which the steps up to now may have happened. */
interface Branch {
  state: PetState;
  /** Steps that have begun and not ended, and have taken effect. */
  done: ReadonlySet<Step>;
}

/** A search that meets more states than these while it ends one step is given up. */
const mostBranches = 5000;

/**
 * Looks for an order of the steps in which every response is right, and each step takes effect between its request and
 * its response (Wing and Gong; Lowe's variant that orders steps only when one of them ends). A step that changes nothing
 * is taken as soon as its response fits, because that cannot rule out anything later.
 */
export function linearize(steps: readonly Step[]): Linearization {
  const moments = steps.flatMap((step) => [
    { at: step.from, step, isEnd: false },
    ...(step.to === Infinity ? [] : [{ at: step.to, step, isEnd: true }]),
  ]);
  moments.sort((one, other) => one.at - other.at || Number(one.isEnd) - Number(other.isEnd));
  const open = new Set<Step>();
  let branches: Branch[] = [{ state: { pet: undefined, orders: [] }, done: new Set() }];
  for (const { step, isEnd } of moments) {
    if (!isEnd) {
      open.add(step);
      if (!step.changes) branches = branches.map((branch) => takeReads(branch, [step]));
      continue;
    }
    const ended = endStep(step, branches, open);
    if (ended === undefined || ended.length === 0) {
      const verdict = ended ? 'impossible' : 'undecided';
      return { verdict, at: step, before: branches.map(({ state }) => state) };
    }
    open.delete(step);
    branches = ended;
  }
  return { verdict: 'found', ends: branches.map(({ state }) => state) };
}

/** Every branch in which the step has taken effect; undefined when there are too many to try. */
function endStep(step: Step, branches: readonly Branch[], open: ReadonlySet<Step>): Branch[] | undefined {
  const openSteps = [...open];
  const tried = new Set<string>();
  const branchesAfter: Branch[] = [];
  const queue = [...branches];
  for (let branch = queue.pop(); branch; branch = queue.pop()) {
    if (branch.done.has(step)) {
      const done = new Set(branch.done);
      done.delete(step);
      branchesAfter.push({ ...branch, done });
      continue;
    }
    for (const other of open) {
      if (!other.changes || branch.done.has(other)) continue;
      const state = other.apply(branch.state);
      if (!state) continue;
      const next = takeReads({ state, done: new Set([...branch.done, other]) }, open);
      const text = branchText(next, openSteps);
      if (tried.has(text)) continue;
      if (tried.size === mostBranches) return undefined;
      tried.add(text);
      queue.push(next);
    }
  }
  return withoutNeedless(branchesAfter, openSteps);
}

function takeReads(branch: Branch, reads: Iterable<Step>): Branch {
  const fitting = [...reads].filter(
    (step) => !step.changes && !branch.done.has(step) && step.apply(branch.state),
  );
  return fitting.length === 0 ? branch : { ...branch, done: new Set([...branch.done, ...fitting]) };
}

/** Of branches that differ only in steps of unknown outcome, those with fewer of them can do whatever the others can. */
function withoutNeedless(branches: readonly Branch[], open: readonly Step[]): Branch[] {
  const known = open.filter(({ to }) => to !== Infinity);
  const alike = Map.groupBy(branches, (branch) => branchText(branch, known));
  return [...alike.values()].flatMap((group) => {
    const kept: Branch[] = [];
    for (const branch of group.toSorted((one, other) => one.done.size - other.done.size)) {
      if (!kept.some(({ done }) => done.isSubsetOf(branch.done))) kept.push(branch);
    }
    return kept;
  });
}

/** The same for branches in the same state in which the same of these steps are done. */
function branchText({ state: { pet, orders }, done }: Branch, steps: readonly Step[]): string {
  const marks = steps.map((step) => (done.has(step) ? '+' : '-')).join('');
  return `${petText(pet)}|${orders.length}|${orders.at(-1) ?? ''}|${marks}`;
}
