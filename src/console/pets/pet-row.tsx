import type { Pet, PetStatus } from '../../client/index.ts';
import { labelOf } from './filter.tsx';

export function PetRow({ pet, isNew }: { pet: Pet; isNew: boolean }) {
  return (
    <li class={isNew ? 'row is-new' : 'row'}>
      <span class="name">
        {pet.name.trim() === '' ? <em>No name</em> : <bdi>{pet.name}</bdi>}
        {isNew && <span class="new">New</span>}
      </span>
      <StatusMark status={pet.status} />
      <span class="numbers">
        <span class="number">
          <span class="label">Category </span>
          {pet.categoryId.toString()}
        </span>
        <span class="number id">
          <span class="label">Id </span>
          {pet.id.toString()}
        </span>
      </span>
    </li>
  );
}

/** Shows the status by colour, shape and word. */
function StatusMark({ status }: { status: PetStatus | undefined }) {
  return (
    <span class={`status ${status ?? 'none'}`}>
      <span class="visually-hidden">Status </span>
      {status === undefined ? 'No status' : labelOf(status)}
    </span>
  );
}
