import { describe, expect, it } from 'bun:test';
import { type Category, renderCategory } from '../../src/domain/category.ts';
import type { Refusal } from '../../src/domain/change.ts';
import { etagOf, type Preconditions } from '../../src/domain/precondition.ts';
import { renderPet } from '../../src/domain/pet.ts';
import { decide, deleteCategory, deletePet, putCategory } from '../support/changes.ts';

describe('changes of a category', () => {
  const cats = { id: 7n, name: 'Cats' };
  const tagOf = (category: Category) => etagOf(renderCategory(category));
  const before = { categories: { 7: 'Cats' } };

  it('give a number its first name, then another, then none', () => {
    const decided = decide([
      putCategory(7n, 'Cats', undefined, 'office'),
      putCategory(7n, 'Kittens'),
      deleteCategory(7n),
      deleteCategory(7n),
      putCategory(7n, 'Cats'),
    ]);
    const [first, renamed] = [renderCategory(cats), '{"id":7,"name":"Kittens"}'];
    expect(decided.outcomes).toEqual([
      { id: 7n, json: first, isNew: true },
      { id: 7n, json: renamed, isNew: false },
      { id: 7n, json: renamed, isNew: false },
      'missing',
      { id: 7n, json: first, isNew: true },
    ]);
    expect([...decided.effects.categories]).toEqual([[7n, cats]]);
    const eventOf = (type: string, ms: number, json: string, by = '') => ({
      ...{ type, createdAt: ms },
      json: `{"type":"${type}","createdAt":"1970-01-01T00:00:00.00${ms}Z",${by}"category":${json}}`,
    });
    expect(decided.effects.events as unknown).toEqual([
      eventOf('category.updated', 1, first, '"createdBy":"office",'),
      eventOf('category.updated', 2, renamed),
      eventOf('category.deleted', 3, renamed),
      eventOf('category.updated', 5, first),
    ]);
  });

  it('do not write anything if the number has this name', () => {
    const { outcomes, effects } = decide([putCategory(7n, 'Cats')], before);
    expect(outcomes).toEqual([{ id: 7n, json: renderCategory(cats), isNew: false }]);
    expect([effects.categories.size, effects.events.length]).toEqual([0, 0]);
  });

  it('remember that a deleted one is to be deleted', () => {
    expect([...decide([deleteCategory(7n)], before).effects.categories]).toEqual([[7n, undefined]]);
  });

  const [tag, otherTag] = [tagOf(cats), tagOf({ ...cats, name: 'Dogs' })];
  it.each<[number, Preconditions | undefined, Refusal | undefined]>([
    [7, { ifMatch: tag }, undefined],
    [7, { ifMatch: '*' }, undefined],
    [7, { ifMatch: `"a", ${tag}` }, undefined],
    [7, { ifMatch: otherTag }, 'if-match'],
    [7, { ifMatch: `W/${tag}` }, 'if-match'],
    [8, { ifMatch: '*' }, 'if-match'],
    [8, { ifMatch: tag }, 'if-match'],
    [7, { ifNoneMatch: '*' }, 'if-none-match'],
    [7, { ifNoneMatch: `W/${tag}` }, 'if-none-match'],
    [7, { ifMatch: tag, ifNoneMatch: tag }, 'if-none-match'],
    [7, { ifMatch: otherTag, ifNoneMatch: tag }, 'if-match'],
    [7, { ifNoneMatch: otherTag }, undefined],
    [8, { ifNoneMatch: '*' }, undefined],
    [8, { ifNoneMatch: tag }, undefined],
  ])('name %i with %j: %s', (id, preconditions, refusal) => {
    for (const name of id === 7 && refusal ? ['Dogs', 'Cats'] : ['Dogs']) {
      const { outcomes, effects } = decide([putCategory(BigInt(id), name, preconditions)], before);
      expect(outcomes).toEqual([refusal ?? expect.objectContaining({ isNew: id === 8 })]);
      expect([effects.categories.size, effects.events.length]).toEqual(refusal ? [0, 0] : [1, 1]);
    }
  });

  it.each<[number, Preconditions | undefined, Refusal | undefined]>([
    [7, { ifMatch: tag }, undefined],
    [7, { ifMatch: '*' }, undefined],
    [7, { ifMatch: otherTag }, 'if-match'],
    [7, { ifNoneMatch: '*' }, 'if-none-match'],
    // Preconditions do not count where the change fails without them (RFC 9110, section 13.2.1).
    [8, { ifMatch: otherTag }, 'missing'],
  ])('delete %i with %j: %s', (id, preconditions, refusal) => {
    const { outcomes, effects } = decide([deleteCategory(BigInt(id), preconditions)], before);
    expect(outcomes).toEqual([refusal ?? expect.objectContaining({ json: renderCategory(cats) })]);
    expect([effects.categories.size, effects.events.length]).toEqual(refusal ? [0, 0] : [1, 1]);
  });

  it('see what earlier changes of the batch have left', () => {
    const ifNone = { ifNoneMatch: '*' };
    const { outcomes } = decide([
      putCategory(7n, 'Cats', ifNone),
      putCategory(7n, 'Dogs', ifNone),
      putCategory(7n, 'Dogs', { ifMatch: tagOf(cats) }),
    ]);
    expect(outcomes).toEqual([
      expect.objectContaining({ isNew: true }),
      'if-none-match',
      expect.objectContaining({ isNew: false }),
    ]);
  });

  it('are apart from pets with the same id', () => {
    const rex = { name: 'Rex', categoryId: 7n };
    const { outcomes, effects } = decide([deletePet(7n), putCategory(7n, 'Dogs'), deleteCategory(7n)], {
      pets: { 7: rex },
      ...before,
    });
    expect(outcomes).toEqual([
      expect.objectContaining({ json: renderPet(7n, rex) }),
      expect.objectContaining({ json: '{"id":7,"name":"Dogs"}' }),
      expect.objectContaining({ json: '{"id":7,"name":"Dogs"}' }),
    ]);
    expect([[...effects.deletedPets], [...effects.categories]]).toEqual([[7n], [[7n, undefined]]]);
  });
});
