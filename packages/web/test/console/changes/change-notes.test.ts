import { describe, expect, it } from 'bun:test';
import type { Pet } from '../../../../client/src/index.ts';
import { Notes } from '../../../src/console/changes/notes.ts';
import { CategoryNames } from '../../../src/console/categories/category-names.ts';
import { shortNameOf, tellConflict, textOf } from '../../../src/console/changes/words.ts';

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
      expect(textOf(tellConflict(seen, now, { status: 'sold' }, names))).toBe(
        `Somebody else has ${deed} in the meantime.`,
      );
    const typed = { name: 'Maxi', categoryId: 8n };
    expect(textOf(tellConflict(rex, sold, typed, names, 'till-2'))).toBe(
      'till-2 has sold Rex (1) in the meantime. You wanted “\u2068Maxi\u2069” and \u2068Cats\u2069.',
    );
  });

  it('shorten a name between two characters and name a pet without one by its id', () => {
    expect(shortNameOf({ ...rex, name: '🐈'.repeat(50) })).toBe(`${'🐈'.repeat(39)}…`);
    expect(shortNameOf({ ...rex, name: '🐈'.repeat(40) })).toBe('🐈'.repeat(40));
    expect(textOf([{ ...rex, name: ' ' }, ' is sold.'])).toBe('Pet 1 is sold.');
  });
});

describe('Notes', () => {
  it('keeps what a person must know until its OK, and tells it once', () => {
    const notes = new Notes(() => {});
    for (const _ of [1, 2]) notes.tell(sold, ' is sold already.');
    notes.tell('No pet has the id 9.');
    notes.say('Too fast.');
    const texts = () => notes.list.map(({ words }) => textOf(words));
    expect(texts()).toEqual(['Rex (1) is sold already.', 'No pet has the id 9.', 'Too fast.']);
    expect([notes.confirm(), texts()]).toEqual([true, ['Rex (1) is sold already.', 'Too fast.']]);
    expect([notes.confirm(), notes.confirm(), texts()]).toEqual([true, false, ['Too fast.']]);
  });

  it('replaces the reason for a refusal with the next note', () => {
    const notes = new Notes(() => {});
    notes.say('Still searching.');
    notes.say('Too fast.');
    expect(notes.list.map(({ words }) => textOf(words))).toEqual(['Too fast.']);
    notes.add({ petId: 1n, words: [] });
    expect(notes.list.map(({ petId }) => petId)).toEqual([1n]);
  });
});
