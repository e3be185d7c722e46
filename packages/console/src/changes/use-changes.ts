import { useEffect, useMemo, useReducer } from 'preact/hooks';
import type { ConsoleClient } from '../connect.ts';
import type { PetRows } from '../pets/data/pet-rows.ts';
import { useShortcuts } from '../shortcuts.ts';
import { Notes } from './notes.ts';
import { PetActions } from './pet-actions.ts';

export interface Changes {
  notes: Notes;
  actions: PetActions;
  /** Grows whenever saving a pet begins or ends. */
  count: number;
}

/** Lets a person sell, correct and remove pets. */
export function useChanges(client: ConsoleClient, rows: PetRows, onRefused: () => void): Changes {
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
