import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { Key } from '../../client/src/index.ts';
import { createCalmClicks } from './changes/calm-clicks.ts';
import { NotesBar } from './changes/notes-bar.tsx';
import { Notes } from './changes/notes.ts';
import { PetActions, type Changes } from './changes/pet-actions.ts';
import type { ConsoleClient } from './connect.ts';
import type { PetRows } from './pets/data/pet-rows.ts';
import { usePets, useQuery } from './pets/data/use-pets.ts';
import { numberOf } from './pets/find/query.ts';
import { focusRow } from './pets/list/use-active-row.ts';
import { Pets } from './pets/pets.tsx';
import { useShortcuts } from './shortcuts.ts';
import { Sales } from './sales/sales.tsx';

export interface StoreProps {
  client: ConsoleClient;
  /** The part of the address that chooses the pets or the sales. */
  hash: string;
  /** Unknown until the service has told. */
  apiKey: Key | undefined;
  onDescribed: (key: Key) => void;
  onRefused: () => void;
}

/** What a person sees who has signed in: the pets or the sales. */
export function Store({ client, hash, apiKey, onDescribed, onRefused }: StoreProps) {
  const [query, changeQuery] = useQuery();
  const view = usePets(client, query, onRefused);
  const changes = useChanges(client, view.rows, onRefused);
  const onClick = useMemo(createCalmClicks, []);
  const { heardAtMs } = view.sync;
  // With every response of the service, until it is known.
  useEffect(() => {
    if (heardAtMs === undefined || apiKey) return undefined;
    const stop = new AbortController();
    client.getKey({ signal: stop.signal }).then(onDescribed, () => {});
    return () => stop.abort();
  }, [heardAtMs]);

  const [, sales, petId] = /^#\/(sales)(?:\?pet=(\d+))?$/.exec(hash) ?? [];
  // After the list has been drawn with what has just changed.
  const onChosen = (id: bigint) => void setTimeout(() => requestAnimationFrame(() => focusRow(id)));
  const shared = {
    client,
    // A key that may only read gets no way to change anything.
    changes: apiKey?.readOnly === false ? changes : undefined,
    onShowPet(id: bigint) {
      changeQuery({ text: `#${id}`, status: 'all' });
      location.hash = '#/';
    },
    onRefused,
    children: <NotesBar notes={changes.notes} onChosen={onChosen} />,
  };
  return (
    <main class="store" onClickCapture={onClick}>
      {sales ? (
        <Sales petId={numberOf(petId ?? '')} {...shared} />
      ) : (
        <Pets view={view} query={query} changeQuery={changeQuery} {...shared} />
      )}
    </main>
  );
}

/** Lets a person sell, correct and remove pets. */
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
