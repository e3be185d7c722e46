import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Key } from '../../client/src/index.ts';
import { createCalmClicks } from './changes/calm-clicks.ts';
import { NotesBar } from './changes/notes-bar.tsx';
import { Notes } from './changes/notes.ts';
import { PetActions, type Changes } from './changes/pet-actions.ts';
import type { ConsoleClient } from './connect.ts';
import type { PetRows } from './pets/data/pet-rows.ts';
import { usePets, useQuery } from './pets/data/use-pets.ts';
import { numberOf } from './pets/find/query.ts';
import { Pets } from './pets/pets.tsx';
import { useShortcuts } from './shortcuts.ts';
import { Sales } from './sales/sales.tsx';

export interface StoreProps {
  client: ConsoleClient;
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
    onDescribed(undefined);
    if (isHeard) client.getKey().then(onDescribed, () => {});
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

/** Lets a person sell, correct and remove pets. Where there are no changes, the key may make none. */
function useChanges(client: ConsoleClient, rows: PetRows, onRefused: () => void): Changes {
  const [count, redraw] = useReducer<number, void>((before) => before + 1, 0);
  const { notes, actions } = useMemo(() => {
    const onChange = () => redraw();
    const created = new Notes(onChange);
    return {
      notes: created,
      actions: new PetActions({ client, rows, notes: created, onChange, onRefused }),
    };
  }, [client, rows, onRefused]);

  // What was removed on the screen is removed, even if the person leaves before the time is over.
  useEffect(() => {
    const leave = () => notes.endAll();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [notes]);

  useShortcuts({ u: () => notes.undo() });
  return { notes, actions, count };
}
