import type { Category } from './category.ts';
import type { PetstoreClient } from './client.ts';
import { isPetstoreError } from './error.ts';
import type { CallOptions } from './options.ts';

export interface CreateCategoryOptions extends CallOptions {
  /** Whether two names mean the same category. Default: only equal names do. */
  isSame?: ((one: string, other: string) => boolean) | undefined;
}

type CategoryClient = Pick<PetstoreClient, 'categories' | 'putCategory' | 'searchPetsPage'>;

const maxAttempts = 10;
/** Numbers from here on are left to programs that choose their own, up to the largest int64. */
const firstOwnNumber = 10n ** 9n;

/**
 * Gives a new name a number, and resolves with the category and its ETag. If the name is taken, resolves with its
 * category, or with the lowest of several, without an ETag. If another program takes the number first, tries the next one.
 * @experimental
 */
export async function createCategory(
  client: CategoryClient,
  name: string,
  { isSame = (one, other) => one === other, signal }: CreateCategoryOptions = {},
): Promise<Category & { etag?: string }> {
  for (let attempt = 1; ; attempt++) {
    const categories: Category[] = [];
    for await (const category of client.categories({ signal })) categories.push(category);
    const category = categories.find((each) => isSame(each.name, name));
    if (category) return category;
    try {
      const id = await drawNumber(client, categories, signal);
      return await client.putCategory(id, name, { ifNoneMatch: '*', signal });
    } catch (error) {
      if (!isPetstoreError(error, 'precondition_failed') || attempt === maxAttempts) throw error;
    }
  }
}

/** Skips numbers that pets carry: the name would describe those pets, too. */
async function drawNumber(
  client: CategoryClient,
  categories: readonly Category[],
  signal: AbortSignal | undefined,
): Promise<bigint> {
  const ids = new Set(categories.map(({ id }) => id));
  const largest = categories.filter(({ id }) => id < firstOwnNumber).at(-1)?.id ?? 0n;
  for (let id = largest < 0n ? 1n : largest + 1n; ; id += 1n) {
    if (ids.has(id)) continue;
    const { pets } = await client.searchPetsPage({ categoryId: id, limit: 1, signal });
    if (pets.length === 0) return id;
  }
}
