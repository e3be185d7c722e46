import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Key } from '../../client/src/index.ts';
import { createCalmClicks } from './changes/calm-clicks.ts';
import { NotesBar } from './changes/notes-bar.tsx';
import { useChanges } from './changes/use-changes.ts';
import type { ConsoleClient } from './connect.ts';
import { usePets } from './pets/data/use-pets.ts';
import { numberOf } from './pets/find/query.ts';
import { useQuery } from './pets/find/use-query.ts';
import { Pets } from './pets/pets.tsx';
import { Sales } from './sales/sales.tsx';

export interface StoreProps {
  client: ConsoleClient;
  /** Undefined until the service has described it. */
  apiKey: Key | undefined;
  onDescribed: (key: Key | undefined) => void;
  onRefused: () => void;
}

/** What a person sees who has signed in: the pets or the sales, as the address says. */
export function Store({ client, apiKey, onDescribed, onRefused }: StoreProps) {
  const [query, changeQuery] = useQuery();
  const view = usePets(client, query, onRefused);
  const changes = useChanges(client, view.rows, onRefused);
  const canChange = apiKey?.readOnly !== true;
  const [, sales, petId] = /^#\/(sales)(?:\?pet=(\d+))?$/.exec(useHash()) ?? [];
  const isHeard = view.sync.heardAtMs !== undefined;
  useEffect(() => {
    if (isHeard) client.getKey().then(onDescribed, () => onDescribed(undefined));
  }, [isHeard]);
  const onClick = useMemo(createCalmClicks, []);
  const enterList = useRef<() => void>(null);

  const focusRow = (id: bigint) => {
    // After the list has been drawn with what has just changed.
    setTimeout(() =>
      requestAnimationFrame(() => {
        const row = document.querySelector<HTMLElement>(`.row[data-id="${id}"]`);
        if (row) row.focus();
        else enterList.current?.();
      }),
    );
  };
  const allowed = canChange ? changes : undefined;
  return (
    <main class="store" onClickCapture={onClick}>
      {sales ? (
        <Sales
          client={client}
          petId={numberOf(petId ?? '')}
          changes={allowed}
          onShowPet={(id) => {
            changeQuery({ text: `#${id}`, status: 'all' });
            location.hash = '#/';
          }}
          onRefused={onRefused}
        />
      ) : (
        <Pets {...{ client, view, query, changeQuery, enterList, onRefused, changes: allowed }} />
      )}
      <NotesBar notes={changes.notes} onChosen={focusRow} />
    </main>
  );
}

function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return hash;
}
