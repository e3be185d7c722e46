import { JsonNumber, toInt64 } from '../conform/exact-json.ts';
import { editNewPet, editNewPetText, type Fields, parseObject, withDefault, without } from './edit.ts';
import type { MutantDefinition, Wrap } from './mutant.ts';

const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);

/** Creates that store a different pet. Every response shows the stored one. */
export const storedMutants: readonly MutantDefinition[] = [
  {
    number: 76,
    name: 'name-trimmed',
    description: 'Spaces around a name are removed.',
    wrap: storeName((name) => name.trim()),
  },
  {
    number: 77,
    name: 'name-cut',
    description: 'A name is cut after 64 characters.',
    wrap: storeName((name) => name.slice(0, 64)),
  },
  {
    number: 78,
    name: 'name-escaped',
    description: 'A name is escaped for HTML before it is stored.',
    wrap: storeName((name) =>
      name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
    ),
  },
  {
    number: 79,
    name: 'name-without-emoji',
    description: 'Characters past U+FFFF become question marks.',
    wrap: storeName((name) => name.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')),
  },
  {
    number: 80,
    name: 'name-normalized',
    description: 'A name is brought into the Unicode form NFC.',
    wrap: storeName((name) => name.normalize('NFC')),
  },
  {
    number: 82,
    name: 'name-empty-refused',
    breaks: 'strict',
    description: 'An empty name is refused, although it is a string.',
    wrap: editNewPet((pet) => (pet['name'] === '' ? without(pet, 'name') : pet)),
  },
  {
    number: 83,
    name: 'category-stored-rounded',
    description: 'A categoryId past 2^53 is rounded before it is stored.',
    wrap: storeCategory((value) => BigInt.asIntN(64, BigInt(Number(value)))),
  },
  {
    number: 84,
    name: 'category-32-bits',
    description: 'A categoryId keeps its lower 32 bits.',
    wrap: storeCategory((value) => BigInt.asIntN(32, value)),
  },
  {
    number: 85,
    name: 'category-without-sign',
    description: 'A negative categoryId loses its sign.',
    wrap: storeCategory((value) => (value < 0n && value > -(2n ** 63n) ? -value : value)),
  },
  {
    number: 87,
    name: 'category-large-refused',
    description: 'A categoryId past 2^53 is refused.',
    wrap: refuseCategory((value) => value > maxSafe || value < -maxSafe),
  },
  {
    number: 88,
    name: 'status-not-stored',
    description: 'The status that a create sends is not stored.',
    wrap: editNewPet((pet) => (isValidStatus(pet) ? without(pet, 'status') : pet)),
  },
  {
    number: 89,
    name: 'status-stored-by-default',
    breaks: 'strict',
    description: 'A pet that is added without a status is stored as available.',
    wrap: editNewPetText(addDefaultStatus),
  },
  {
    number: 90,
    name: 'status-required',
    description: 'A create without a status is refused.',
    wrap: editNewPet((pet) => withDefault(pet, 'status', null)),
  },
  {
    number: 91,
    name: 'unknown-fields-refused',
    breaks: 'strict',
    description: 'A create with a field that the API does not know is refused.',
    wrap: editNewPet((pet) => (Object.keys(pet).every((name) => knownFields.has(name)) ? pet : {})),
  },
  {
    number: 208,
    name: 'category-zero-refused',
    description: 'A categoryId of 0 is taken for a missing one.',
    wrap: refuseCategory((value) => value === 0n),
  },
];

const knownFields = new Set(['name', 'categoryId', 'status']);

/** Edits the text, so that the other fields stay as written. Trimming keeps it short enough. */
function addDefaultStatus(text: string): string {
  const names = Object.keys(parseObject(text) ?? { status: '' });
  if (names.includes('status')) return text;
  return text.trim().replace('{', `{"status":"available"${names.length > 0 ? ',' : ''}`);
}

function storeName(edit: (name: string) => string): Wrap {
  return editNewPet((pet) => {
    const { name } = pet;
    return typeof name === 'string' ? { ...pet, name: edit(name) } : pet;
  });
}

function storeCategory(edit: (categoryId: bigint) => bigint): Wrap {
  return editNewPet((pet) => {
    const categoryId = toInt64(pet['categoryId']);
    return categoryId === undefined ? pet : { ...pet, categoryId: new JsonNumber(String(edit(categoryId))) };
  });
}

function refuseCategory(isRefused: (categoryId: bigint) => boolean): Wrap {
  return editNewPet((pet) => {
    const categoryId = toInt64(pet['categoryId']);
    return categoryId !== undefined && isRefused(categoryId) ? { ...pet, categoryId: null } : pet;
  });
}

function isValidStatus({ status }: Fields): boolean {
  return typeof status === 'string' && /^(?:available|pending|sold)$/.test(status);
}
