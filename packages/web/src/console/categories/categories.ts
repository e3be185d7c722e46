import { isSameName } from '../../../../../src/domain/fold.ts';
import {
  createCategory,
  isPetstoreError,
  type Category,
  type PetstoreClient,
  type PutCategoryOptions,
} from '../../../../client/src/index.ts';
import { CategoryNames } from './category-names.ts';

export interface CategoriesOptions {
  client: Pick<
    PetstoreClient,
    'categories' | 'getCategory' | 'putCategory' | 'deleteCategory' | 'searchPetsPage'
  >;
  onChange: () => void;
}

/** Reads and changes the names of categories. While the service is away, the last names stay. */
export class Categories {
  names = new CategoryNames();
  /** True when the store may have other names. */
  isStale = true;
  readonly #options: CategoriesOptions;

  constructor(options: CategoriesOptions) {
    this.#options = options;
  }

  async load(signal?: AbortSignal): Promise<void> {
    const list: Category[] = [];
    // An event that arrives from now on may be newer than the list.
    this.isStale = false;
    try {
      for await (const category of this.#options.client.categories({ signal })) list.push(category);
      this.#set(list);
    } catch (error) {
      this.isStale = true;
      throw error;
    }
  }

  /** Gives a name a number. If somebody else was faster to give the same name, theirs is the one. */
  async create(name: string): Promise<void> {
    await createCategory(this.#options.client, name, { isSame: isSameName });
    await this.load();
  }

  /** Gets a category with its ETag. */
  read(id: bigint): Promise<Category & { etag?: string }> {
    return this.#options.client.getCategory(id);
  }

  /** Resolves with the new ETag. Fails with `precondition_failed` if the name is not the expected one. */
  async put(id: bigint, name: string, precondition: PutCategoryOptions): Promise<string | undefined> {
    const { etag } = await this.#options.client.putCategory(id, name, precondition);
    this.#set([...this.#without(id), { id, name }].sort((one, other) => (one.id < other.id ? -1 : 1)));
    return etag;
  }

  async remove(id: bigint): Promise<void> {
    try {
      await this.#options.client.deleteCategory(id);
    } catch (error) {
      // Somebody else has removed it.
      if (!isPetstoreError(error, 'not_found')) throw error;
    }
    this.#set(this.#without(id));
  }

  #without(id: bigint): Category[] {
    return this.names.list.filter((category) => category.id !== id);
  }

  #set(list: readonly Category[]): void {
    this.names = new CategoryNames(list);
    this.#options.onChange();
  }
}
