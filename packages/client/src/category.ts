import { preconditions, refuseRetry, remove } from './changes.ts';
import type { CallOptions, ChangePetOptions, ListCategoriesOptions, PutCategoryOptions } from './options.ts';
import { createList } from './pages.ts';
import { requireBigint } from './pet.ts';
import { fieldsOf, isInteger } from './wire/json.ts';
import { withEtag, type Send } from './wire/send.ts';

/** A name for a number that pets may carry. */
export interface Category {
  /** The `categoryId` of its pets, an exact 64-bit integer. */
  id: bigint;
  name: string;
}

/** One page of the categories, by ascending id. The last page has no `next`. */
export interface CategoryPage {
  categories: Category[];
  next?: string;
}

/** @experimental Any release may change these. */
export interface CategoryOperations {
  /** Gets one page of categories. `limit` defaults to 20. */
  listCategories(options?: ListCategoriesOptions): Promise<CategoryPage>;

  /** Iterates over all categories, page by page. */
  categories(options?: CallOptions): AsyncGenerator<Category, void, undefined>;

  /** Gets one category with its ETag. Fails with `not_found` if the number has no name. */
  getCategory(id: bigint, options?: CallOptions): Promise<Category & { etag?: string }>;

  /** Gives a number its first name or another one, and resolves once it is stored. Retried like `updatePet`. */
  putCategory(id: bigint, name: string, options?: PutCategoryOptions): Promise<Category & { etag?: string }>;

  /** Removes the name of a number; pets keep the number. Fails and retries like `deletePet`. */
  deleteCategory(id: bigint, options?: ChangePetOptions): Promise<void>;
}

export function createCategoryOperations(send: Send, versionUrl: string): CategoryOperations {
  const url = `${versionUrl}/categories`;
  const list = createList(send, { operation: 'listCategories', url }, 'categories', toCategory);
  const urlOf = (id: bigint) => `${url}/${requireBigint('id', id)}`;

  return {
    listCategories: list.getPage,
    categories: list.each,

    async getCategory(id, { signal } = {}) {
      const response = await send({ operation: 'getCategory', method: 'GET', url: urlOf(id), signal });
      return withEtag(response, toCategory);
    },

    async putCategory(id, name, { signal, ...conditions } = {}) {
      const response = await send({
        operation: 'putCategory',
        method: 'PUT',
        url: urlOf(id),
        headers: { 'Content-Type': 'application/json', ...preconditions(conditions) },
        body: JSON.stringify({ name }),
        signal,
        onUncertain: refuseRetry('category'),
      });
      return withEtag(response, toCategory);
    },

    async deleteCategory(id, options) {
      await remove(send, { operation: 'deleteCategory', url: urlOf(id) }, options);
    },
  };
}

/** Reads a category from parsed JSON; undefined if the value is not a category. */
export function toCategory(value: unknown): Category | undefined {
  const { id, name } = fieldsOf(value);
  return isInteger(id) && typeof name === 'string' ? { id: BigInt(id), name } : undefined;
}
