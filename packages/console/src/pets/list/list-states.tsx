import type { Problem } from '../../connect.ts';
import { labelOf } from '../find/filter.tsx';
import type { PetQuery } from '../find/query.ts';
import type { PetsView } from '../data/use-pets.ts';

export function Loading() {
  return (
    <div aria-busy="true">
      <p class="visually-hidden" role="status">
        Loading pets…
      </p>
      <div class="columns" aria-hidden="true" />
      <div class="rows is-loading" aria-hidden="true" style={{ '--count': 12 }}>
        {Array.from({ length: 12 }, (_, index) => (
          <div key={index} class="row is-loading" style={{ '--index': index }}>
            <i />
            <i />
            <i />
            <i />
          </div>
        ))}
      </div>
    </div>
  );
}

export function Empty({ onAdd }: { onAdd: () => void }) {
  return (
    <div class="state" role="status">
      <h2>No pets yet</h2>
      <p>Add one and it will appear here.</p>
      <button type="button" class="plain" onClick={onAdd}>
        Add your first pet
      </button>
    </div>
  );
}

export interface NoMatchProps {
  query: PetQuery;
  view: Pick<PetsView, 'collection'>;
  onShowAll: () => void;
}

export function NoMatch({ query, view, onShowAll }: NoMatchProps) {
  const { text, status } = query;
  const kind = status === 'all' ? '' : `${labelOf(status === 'none' ? undefined : status).toLowerCase()} `;
  const title = status === 'none' ? 'No pets without a status' : `No ${kind}pets`;
  return (
    <div class="state" role="status">
      <h2>
        {title}
        {text.trim() !== '' && (
          <>
            {' '}
            match “<bdi>{text.trim()}</bdi>”
          </>
        )}
      </h2>
      <p>
        None of the {view.collection.pets.length.toLocaleString('en')} pets fits the search and the filter.
      </p>
      <button type="button" class="plain" onClick={onShowAll}>
        Show all pets
      </button>
    </div>
  );
}

export function ProblemNotice({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  return (
    <div class="state" role="alert">
      <h2>{problem.title}</h2>
      <p>{problem.advice} Retrying automatically.</p>
      {problem.requestId !== undefined && (
        <p class="help">
          Request id <code>{problem.requestId}</code>
        </p>
      )}
      <button type="button" class="plain" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
