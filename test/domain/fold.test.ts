import { describe, expect, it } from 'bun:test';
import { foldName, searchWords } from '../../src/domain/fold.ts';

describe('foldName', () => {
  it.each([
    ['Rex', 'rex'],
    ['Łucja', 'lucja'],
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['GROẞ', 'gross'],
    ['Zoë', 'zoe'],
    ['Zoe\u0308', 'zoe'],
    ['Žižka', 'zizka'],
    ['Øyvind Đorđe', 'oyvind dorde'],
    ['Ægir Œdipe', 'aegir oedipe'],
    ['Þór Eyðun', 'thor eydun'],
    ['Işıl İpek', 'isil ipek'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
    ['Ἀλέξανδρος', 'αλεξανδροσ'],
    ['Йорик', 'иорик'],
    ['Ｒｅｘ №５', 'rex no5'],
    ['ﬁn', 'fin'],
    ['ポチ', 'ホチ'],
    ['100 %_\\', '100 %_\\'],
    ['🐕', '🐕'],
    ['', ''],
  ])('folds %p to %p', (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });

  it('leaves every folded character as it is', () => {
    const changed: string[] = [];
    for (let code = 1; code <= 0x1ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const folded = foldName(String.fromCodePoint(code));
      if (foldName(folded) !== folded) changed.push(code.toString(16));
    }
    expect(changed).toEqual([]);
  });
});

describe('searchWords', () => {
  it('folds each word once', () => {
    expect(searchWords('  Łucja\tlucja  STRAẞE ')).toEqual(['lucja', 'strasse']);
  });

  it('does not find words in spaces and marks', () => {
    expect(searchWords(' \u0301 ')).toEqual([]);
  });
});
