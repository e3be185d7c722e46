import { describe, expect, it } from 'bun:test';
import { createList } from '../../../src/http/lists/list.ts';
import { petList } from '../../../src/http/lists/paging.ts';
import type { Call } from '../../../src/http/route.ts';

const call = { request: new Request('http://localhost/v1/pets') } as Call;

describe('a list', () => {
  it('reads a page again if a commit happened during the read', () => {
    let version = 1;
    const read = () => {
      const json = `[${version}]`;
      if (version === 1) version = 2;
      return { json };
    };
    const list = createList(petList, { version: () => version }, read);
    expect(list(call)).toMatchObject({ body: '[1]' });
    expect(list(call)).toMatchObject({ body: '[2]' });
  });

  it('serves nothing while the version cannot be read', () => {
    let isMoved = false;
    const version = () => {
      if (isMoved) throw new Error('moved');
      return 1;
    };
    const list = createList(petList, { version }, () => ({ json: '[]' }));
    expect(list(call)).toMatchObject({ body: '[]' });
    isMoved = true;
    expect(() => list(call)).toThrow('moved');
  });
});
