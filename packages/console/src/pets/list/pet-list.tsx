import type { RefObject } from 'preact';
import type { PetsView } from '../data/use-pets.ts';
import type { FoundPets } from '../find/find-pets.ts';
import { Empty, Loading, NoMatch, ProblemNotice } from './list-states.tsx';
import { PetGrid, type RowParts } from './pet-grid.tsx';
import { renderQuery, type PetQuery } from '../find/query.ts';

export interface PetListProps {
  view: PetsView;
  found: FoundPets;
  query: PetQuery;
  rowParts: RowParts;
  enter: RefObject<(() => void) | null>;
  onShowAll: () => void;
  onAdd: () => void;
}

export function PetList({ view, found, query, rowParts, enter, onShowAll, onAdd }: PetListProps) {
  const { collection, phase, problem, retry, watch } = view;
  const isLoading = phase === 'loading';
  const total = collection.pets.length;

  if (total === 0 && problem) return <ProblemNotice problem={problem} onRetry={retry} />;
  if (total === 0) return isLoading ? <Loading /> : <Empty onAdd={onAdd} />;
  if (found.pets.length === 0)
    return isLoading ? <Loading /> : <NoMatch query={query} view={view} onShowAll={onShowAll} />;
  return (
    <>
      <PetGrid
        pets={found.pets}
        isNew={(id) => collection.isNew(id)}
        listKey={renderQuery(query)}
        isLoading={isLoading}
        enter={enter}
        onWatch={watch}
        {...rowParts}
      />
      <p class="list-end help">{endOfList(found.pets.length, total)}</p>
    </>
  );
}

function endOfList(shown: number, total: number): string {
  const all = total === 1 ? '1 pet' : `${total.toLocaleString('en')} pets`;
  return shown === total ? (total === 1 ? all : `All ${all}`) : `${shown.toLocaleString('en')} of ${all}`;
}
