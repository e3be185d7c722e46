/** A pet as a store shows it. */
export interface FoundPet {
  id: string;
  name: string;
  /** The rest of it. */
  fields: string;
}

/** What was acknowledged of one pet. */
interface KnownPet {
  /** Undefined for a pet of an import, whose id nobody was told. */
  id: string | undefined;
  fields: string;
}

export interface KnownKey {
  id: string;
  hash: string;
  isRevoked: boolean;
}

/** What is known of one store, or of a backup of it. */
export interface StoreModel {
  /** Where the file is, without links. */
  path: string;
  /** By name; each name is given to one pet only. */
  pets: Map<string, KnownPet>;
  /** Pets that were not acknowledged, and may be there all the same. */
  unsure: Map<string, string>;
  /** By the key itself. */
  keys: Map<string, KnownKey>;
  /** Bytes of it were changed: it is refused, or all of it is there. */
  isHarmed: boolean;
}

export function createModel(path: string): StoreModel {
  return { path, pets: new Map(), unsure: new Map(), keys: new Map(), isHarmed: false };
}

/** The same content at another path. */
export function cloneModel(model: StoreModel, path: string): StoreModel {
  return {
    path,
    pets: new Map([...model.pets].map(([name, pet]) => [name, { ...pet }])),
    unsure: new Map(model.unsure),
    keys: new Map([...model.keys].map(([text, key]) => [text, { ...key }])),
    isHarmed: model.isHarmed,
  };
}

/** The content of a store that was restored: a key that the replaced store had revoked stays revoked. */
export function restoredModel(
  backup: StoreModel,
  replaced: StoreModel | undefined,
  path: string,
): StoreModel {
  const restored = cloneModel(backup, path);
  restored.isHarmed = false;
  for (const [text, { isRevoked }] of replaced?.keys ?? []) {
    const key = restored.keys.get(text);
    if (!key || !isRevoked || key.isRevoked) continue;
    // Of a damaged store, nobody can say what the restore has read.
    if (replaced?.isHarmed) restored.keys.delete(text);
    else key.isRevoked = true;
  }
  return restored;
}

/** Compares what a store shows with the model, and learns what was unsure. Returns what is wrong. */
export function compareWith(model: StoreModel, found: readonly FoundPet[]): string[] {
  const problems: string[] = [];
  const byName = Map.groupBy(found, ({ name }) => name);
  const ids = new Set(found.map(({ id }) => id));
  if (ids.size < found.length) problems.push(`${found.length - ids.size} ids are there twice`);
  for (const [name, pet] of model.pets) {
    const [shown] = byName.get(name) ?? [];
    if (!shown) problems.push(`${name} (id ${pet.id}) was acknowledged and is lost`);
    else if (pet.fields !== shown.fields) problems.push(`${name} was changed to ${shown.fields}`);
    else if (pet.id !== undefined && pet.id !== shown.id)
      problems.push(`${name} was acknowledged with the id ${pet.id} and has ${shown.id}`);
    else pet.id = shown.id;
  }
  for (const [name, pets] of byName) {
    if (pets.length > 1) problems.push(`${name} is there ${pets.length} times`);
    if (model.pets.has(name)) continue;
    const [{ id, fields } = { id: '', fields: '' }] = pets;
    if (model.unsure.get(name) === fields) {
      // What was shown once stays.
      model.unsure.delete(name);
      model.pets.set(name, { id, fields });
    } else problems.push(`${name} (id ${id}) is there, and nobody has put it there`);
  }
  return problems;
}

/** Makes the model what was found, after the operator has thrown something away. Nothing may have come in. */
export function shrinkTo(model: StoreModel, found: readonly FoundPet[]): string[] {
  const names = new Set(found.map(({ name }) => name));
  for (const name of model.pets.keys()) if (!names.has(name)) model.pets.delete(name);
  return compareWith(model, found);
}

export function fieldsOf({ categoryId, status }: { categoryId: number; status?: string }): string {
  return JSON.stringify([categoryId, status ?? null]);
}

/** Pets as JSON shows them; the ids are small here. */
export function foundPets(
  pets: { id: number; name: string; categoryId: number; status?: string }[],
): FoundPet[] {
  return pets.map((pet) => ({ id: String(pet.id), name: pet.name, fields: fieldsOf(pet) }));
}
