/** Letters that are not a plain letter with a mark, and so do not decompose. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ŧ: 't',
  // At the end of a word, lower case makes another sigma of it.
  ς: 'σ',
};
const markOrLetter = new RegExp(`\\p{M}|[${Object.keys(plainLetters).join('')}]`, 'gu');
const ascii = /^[\0-\x7f]*$/;

/**
 * A name as searches compare it: without case, diacritics and other ways to write the same letter. Stores keep it beside
 * the pet, so a change of this function needs a step of both schemas.
 */
export function foldName(name: string): string {
  // Nearly every name, and every create passes here.
  if (ascii.test(name)) return name.toLowerCase();
  // Twice: a decomposition may begin with a capital letter, as that of № does.
  const decomposed = name.toLowerCase().normalize('NFKD').toLowerCase();
  return decomposed.replace(markOrLetter, (found) => plainLetters[found] ?? '');
}

/** The words of a query, folded, each once. */
export function searchWords(query: string): string[] {
  return [...new Set(foldName(query).split(/\s+/))].filter((word) => word !== '');
}
