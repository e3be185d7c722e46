import { categoryNotFound, parseCategoryName } from '../domain/category.ts';
import { etagOf } from '../domain/precondition.ts';
import { parseJsonBody, readBody, untilParsed } from './body.ts';
import { createList } from './lists/list.ts';
import { categoryList } from './lists/paging.ts';
import { type PetOperationOptions, neverCached, targetOf } from './pets.ts';
import type { Handler } from './route.ts';

type CategoryOperation = 'listCategories' | 'putCategory' | 'deleteCategory';

export function createCategoryOperations(options: PetOperationOptions): Record<CategoryOperation, Handler> {
  const { pets, bodyTimeoutMs, metrics } = options;

  return {
    listCategories: createList(categoryList, (asked) => pets.listCategories(asked), { store: pets, metrics }),

    async putCategory(call) {
      const target = targetOf(call, categoryNotFound);
      const name = parseCategoryName(await parseJsonBody(await readBody(call.request, bodyTimeoutMs)));
      const { id, json, isNew } = await pets.apply({ kind: 'put-category', ...target, name });
      const headers = { ...neverCached, ETag: etagOf(json) };
      if (!isNew) return { status: 200, headers, body: json };
      return { status: 201, headers: { ...headers, Location: `/v1/categories/${id}` }, body: json };
    },

    async deleteCategory(call) {
      await untilParsed(call.request);
      await pets.apply({ kind: 'delete-category', ...targetOf(call, categoryNotFound) });
      return { status: 204, headers: neverCached, body: null };
    },
  };
}
