/** Letters that Unicode does not decompose into a plain letter and a mark. */
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
  // toLowerCase() turns a capital sigma at the end of a word into this one.
  ς: 'σ',
};
const markOrLetter = new RegExp(`\\p{M}|[${Object.keys(plainLetters).join('')}]`, 'gu');
const ascii = /^[\0-\x7f]*$/;

/**
 * The form of a name that searches compare: without case, diacritics or alternative spellings of a letter. Stores keep
 * it beside the pet, so a change to this function needs a new schema version.
 */
export function foldName(name: string): string {
  // Every create passes here, and nearly every name is ASCII.
  if (ascii.test(name)) return name.toLowerCase();
  // Fold case twice: a decomposition may start with a capital letter, as that of № does.
  const decomposed = name.toLowerCase().normalize('NFKD').toLowerCase();
  return decomposed.replace(markOrLetter, (character) => plainLetters[character] ?? '');
}

/** Whether two names mean the same category. */
export function isSameName(one: string, other: string): boolean {
  return foldName(one.trim()) === foldName(other.trim());
}

/** The folded words of a query, without duplicates. */
export function searchWords(query: string): string[] {
  return [...new Set(foldName(query).split(/\s+/))].filter((word) => word !== '');
}
