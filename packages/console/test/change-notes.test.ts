import { describe, expect, it } from 'bun:test';
import type { Pet } from '../../client/src/index.ts';
import { Notes, type Note, type Words } from '../src/changes/notes.ts';
import {
  anywayLabel,
  fieldsOf,
  reversed,
  shortNameOf,
  tellConflict,
  tellDone,
  withFields,
} from '../src/changes/words.ts';

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 7n, status: 'available' };
const textOf = (words: Words): string =>
  words.map((word) => (typeof word === 'string' ? word : shortNameOf(word))).join('');

describe('the words about a change', () => {
  it('name everything that somebody else has changed', () => {
    const { status: _, ...bare } = rex;
    const cases: [Pet, string][] = [
      [{ ...rex, status: 'sold' }, 'sold Rex'],
      [{ ...rex, status: 'pending' }, 'made Rex pending'],
      [bare, 'taken the status of Rex away'],
      [{ ...rex, name: 'Max' }, 'renamed Rex to Max'],
      [{ ...rex, categoryId: -5n }, 'moved Rex to category -5'],
      [{ ...rex, name: 'Max', status: 'sold' }, 'sold Rex and renamed it to Max'],
    ];
    for (const [now, deed] of cases)
      expect(textOf(tellConflict(rex, now))).toBe(`Somebody else has ${deed} in the meantime.`);
    expect(textOf(tellConflict(bare, rex))).toContain('made Rex available');
  });

  it('tell what was done and offer to do it anyway', () => {
    expect(textOf(tellDone({ ...rex, status: 'sold' }, { status: 'sold' }))).toBe('Rex is sold.');
    expect(textOf(tellDone(rex, { name: 'Rex' }))).toBe('Saved Rex.');
    expect(textOf(tellDone(rex, 'remove'))).toBe('Removed Rex.');
    expect(anywayLabel({ status: 'sold' })).toBe('Sell it anyway');
    expect(anywayLabel({ status: null })).toBe('Take its status away anyway');
    expect(anywayLabel({ name: 'Max' })).toBe('Save it anyway');
    expect(anywayLabel('remove')).toBe('Remove it anyway');
  });

  it('shorten a name between two characters and name a pet without one by its id', () => {
    expect(shortNameOf({ ...rex, name: '🐈'.repeat(50) })).toBe(`${'🐈'.repeat(39)}…`);
    expect(shortNameOf({ ...rex, name: '🐈'.repeat(40) })).toBe('🐈'.repeat(40));
    expect(shortNameOf({ ...rex, name: ' ' })).toBe('Pet 1');
  });
});

describe('a wish', () => {
  it('changes only the fields it names, and can be reversed', () => {
    const { status: _, ...bare } = rex;
    expect(withFields(rex, { status: null })).toEqual(bare);
    expect(withFields(bare, { name: 'Max' })).toEqual({ ...bare, name: 'Max' });
    expect(withFields(rex, { categoryId: 8n, status: 'sold' })).toEqual({
      ...rex,
      categoryId: 8n,
      status: 'sold',
    });
    expect(reversed(bare, { status: 'sold' })).toEqual({ status: null });
    expect(reversed(rex, { name: 'Max', categoryId: 8n })).toEqual({ name: 'Rex', categoryId: 7n });
    expect(fieldsOf(bare)).toEqual({ name: 'Rex', categoryId: 7n, status: null });
  });
});

describe('Notes', () => {
  const noteOf = (petId: bigint, told: string[]): Note => ({
    petId,
    words: [],
    undo: () => told.push(`undo ${petId}`),
    onEnd: (isLeaving) => told.push(`end ${petId} ${isLeaving}`),
  });

  it('undoes the latest note, or one that was chosen, which then has no end', () => {
    const told: string[] = [];
    const notes = new Notes(() => {});
    const first = noteOf(1n, told);
    for (const note of [first, noteOf(2n, told), noteOf(3n, told)]) notes.add(note);
    const problem: Note = { petId: 4n, words: [], choices: [] };
    notes.add(problem);
    notes.undo();
    notes.choose(first, first.undo!);
    notes.endAll();
    notes.undo();
    expect(told).toEqual(['undo 3', 'undo 1', 'end 2 true']);
    expect(notes.list).toEqual([problem]);
  });

  it('ends all in their order when the document goes away', () => {
    const told: string[] = [];
    const notes = new Notes(() => {});
    for (const id of [5n, 2n, 9n]) notes.add(noteOf(id, told));
    notes.endAll();
    expect(told).toEqual(['end 5 true', 'end 2 true', 'end 9 true']);
  });
});
