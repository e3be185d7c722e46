import type { PetStatus } from '../../../../client/src/index.ts';
import { statusFilters, type StatusFilter } from './query.ts';

export interface FilterProps {
  chosen: StatusFilter;
  counts: Record<StatusFilter, number>;
  onChoose: (status: StatusFilter) => void;
}

/** Radio buttons: one click or the arrow keys choose a status. */
export function Filter({ chosen, counts, onChoose }: FilterProps) {
  return (
    <fieldset class="filter">
      <legend class="visually-hidden">Filter by status</legend>
      {statusFilters.map((status) => (
        <label key={status} class={`choice ${status}`}>
          <input
            type="radio"
            name="status-filter"
            checked={chosen === status}
            onChange={() => onChoose(status)}
          />
          <span>
            {labelOfFilter(status)} <b class="count">{counts[status].toLocaleString('en')}</b>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function labelOfFilter(filter: StatusFilter): string {
  if (filter === 'all') return 'All';
  return labelOf(filter === 'none' ? undefined : filter);
}

export function labelOf(status: PetStatus | undefined): string {
  return status === undefined ? 'No status' : status.charAt(0).toUpperCase() + status.slice(1);
}
