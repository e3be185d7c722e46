import { petStatuses, type PetStatus } from '../../client/index.ts';

export interface FilterProps {
  chosen: PetStatus | undefined;
  onChoose: (status: PetStatus | undefined) => void;
}

/** Radio buttons: one click or the arrow keys choose a status. */
export function Filter({ chosen, onChoose }: FilterProps) {
  const choices = [undefined, ...petStatuses];
  return (
    <fieldset class="filter">
      <legend class="visually-hidden">Filter by status</legend>
      {choices.map((status) => (
        <label key={status ?? 'all'} class={`choice ${status ?? 'all'}`}>
          <input
            type="radio"
            name="status-filter"
            checked={chosen === status}
            onChange={() => onChoose(status)}
          />
          <span>{labelOf(status)}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function labelOf(status: PetStatus | undefined): string {
  return status === undefined ? 'All' : status.charAt(0).toUpperCase() + status.slice(1);
}
