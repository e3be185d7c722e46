import { describe, expect, it } from 'bun:test';
import type { Pet } from '../../../../client/src/index.ts';
import { Notes, type Note } from '../../../src/console/changes/notes.ts';
import { CategoryNames } from '../../../src/console/categories/category-names.ts';
import {
  anywayLabel,
  fieldsOf,
  reversed,
  shortNameOf,
  tellConflict,
  tellDone,
  tellFailed,
  tellUndone,
  textOf,
  withFields,
} from '../../../src/console/changes/words.ts';

const rex: Pet = { id: 1n, name: 'Rex', categoryId: 7n, status: 'available' };
const names = new CategoryNames([{ id: 8n, name: 'Cats' }]);
const sold: Pet = { ...rex, status: 'sold' };

describe('the words about a change', () => {
  it('name everything that somebody else has changed', () => {
    const { status: _, ...bare } = rex;
    const cases: [Pet, Pet, string][] = [
      [rex, sold, 'sold Rex (1)'],
      [rex, { ...rex, status: 'pending' }, 'made Rex (1) pending'],
      [rex, bare, 'taken the status of Rex (1) away'],
      [bare, rex, 'made Rex (1) available'],
      [sold, rex, 'returned Rex (1)'],
      [sold, { ...rex, status: 'pending' }, 'returned Rex (1) and made it pending'],
      [rex, { ...rex, name: 'Max' }, 'renamed Rex (1) to Max (1)'],
      [rex, { ...rex, categoryId: -5n }, 'moved Rex (1) to category -5'],
      [rex, { ...rex, categoryId: 8n }, 'moved Rex (1) to \u2068Cats\u2069'],
      [rex, { ...sold, name: 'Max' }, 'sold Rex (1) and renamed it to Max (1)'],
    ];
    for (const [seen, now, deed] of cases)
      expect(textOf(tellConflict(seen, now, names))).toBe(`Somebody else has ${deed} in the meantime.`);
  });

  it('say what was done, undone or refused, and offer to do it anyway', () => {
    expect(textOf(tellDone(rex, sold, { status: 'sold' }))).toBe('Rex (1) is sold.');
    expect(textOf(tellDone(sold, rex, { status: 'available' }))).toBe(
      'Rex (1) was returned and is available.',
    );
    expect(textOf(tellDone(rex, rex, { name: 'Rex' }))).toBe('Saved Rex (1).');
    expect(textOf(tellUndone(rex, { status: 'available' }))).toBe('Undone: Rex (1) is available again.');
    expect(textOf(tellUndone(rex, { name: 'Rex' }))).toBe('Undone: Rex (1) is as it was before.');
    expect(textOf(tellFailed(rex, { status: 'sold' }, true))).toBe('Rex (1) was not sold.');
    expect(textOf(tellFailed(sold, { status: null }, true))).toBe('Rex (1) was not returned.');
    expect(textOf(tellFailed(rex, 'remove', false))).toBe('Rex (1) may not have been removed.');
    expect(anywayLabel(rex, { status: 'sold' })).toBe('Sell it anyway');
    expect(anywayLabel(sold, { status: 'available' })).toBe('Return it anyway');
    expect(anywayLabel(rex, { status: null })).toBe('Take its status away anyway');
    expect(anywayLabel(rex, { name: 'Max' })).toBe('Save it anyway');
    expect(anywayLabel(rex, 'remove')).toBe('Remove it anyway');
  });

  it('shorten a name between two characters and name a pet without one by its id', () => {
    expect(shortNameOf({ ...rex, name: '🐈'.repeat(50) })).toBe(`${'🐈'.repeat(39)}…`);
    expect(shortNameOf({ ...rex, name: '🐈'.repeat(40) })).toBe('🐈'.repeat(40));
    expect(textOf([{ ...rex, name: ' ' }, ' is sold.'])).toBe('Pet 1 is sold.');
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
  });

  it('undoes step by step, including what a later note replaced, until no note is left', () => {
    const told: string[] = [];
    const notes = new Notes(() => {});
    const first = noteOf(1n, told);
    for (const note of [first, noteOf(2n, told), noteOf(3n, told), noteOf(4n, told)]) notes.add(note);
    const problem: Note = { petId: 5n, words: [], choices: [] };
    notes.add(problem);
    notes.dropOf(3n);
    notes.undo();
    notes.undo();
    notes.choose(first, first.undo!);
    expect(told).toEqual(['undo 4', 'undo 3', 'undo 1']);
    notes.undo();
    notes.undo();
    expect(told.at(-1)).toBe('undo 2');
    expect(notes.list.map(({ words }) => textOf(words))).toEqual(['', 'There is nothing to undo.']);
  });

  it('replaces the reason for a refusal with the next note', () => {
    const notes = new Notes(() => {});
    notes.say('Still searching.');
    notes.say('Too fast.');
    expect(notes.list.map(({ words }) => textOf(words))).toEqual(['Too fast.']);
    notes.add(noteOf(1n, []));
    expect(notes.list.map(({ petId }) => petId)).toEqual([1n]);
  });
});
