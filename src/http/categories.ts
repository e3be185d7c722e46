import { categoryNotFound, parseCategoryName } from '../domain/category.ts';
import { parseInt64 } from '../domain/int64.ts';
import { etagOf } from '../domain/precondition.ts';
import { parseJsonBody, readBody, untilParsed } from './body.ts';
import { createList } from './lists/list.ts';
import { categoryList } from './lists/paging.ts';
import { type PetOperationOptions, neverCached } from './pets.ts';
import { preconditionsOf } from './response.ts';
import type { Handler } from './route.ts';

type CategoryOperation = 'listCategories' | 'putCategory' | 'deleteCategory';

export function createCategoryOperations(options: PetOperationOptions): Record<CategoryOperation, Handler> {
  const { pets, bodyTimeoutMs, metrics } = options;

  return {
    listCategories: createList(categoryList, (asked) => pets.listCategories(asked), { store: pets, metrics }),

    async putCategory({ request, parameter, caller }) {
      const id = parseCategoryId(parameter);
      const name = parseCategoryName(await parseJsonBody(await readBody(request, bodyTimeoutMs)));
      const preconditions = preconditionsOf(request);
      const { json, isNew } = await pets.apply({
        kind: 'put-category',
        id,
        name,
        preconditions,
        by: caller.name,
      });
      const headers = {
        ...neverCached,
        ETag: etagOf(json),
        ...(isNew && { Location: `/v1/categories/${id}` }),
      };
      return { status: isNew ? 201 : 200, headers, body: json };
    },

    async deleteCategory({ request, parameter, caller }) {
      await untilParsed(request);
      const id = parseCategoryId(parameter);
      const preconditions = preconditionsOf(request);
      await pets.apply({ kind: 'delete-category', id, preconditions, by: caller.name });
      return { status: 204, headers: neverCached, body: null };
    },
  };
}

/** Only a canonical int64 can be the number of a category. */
function parseCategoryId(parameter = ''): bigint {
  const id = parseInt64(parameter);
  if (id === undefined) throw categoryNotFound();
  return id;
}
