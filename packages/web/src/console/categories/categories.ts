import { isSameName } from '../../../../../src/domain/fold.ts';
import {
  createCategory,
  type Category,
  type ChangePetOptions,
  type PetstoreClient,
  type PutCategoryOptions,
} from '../../../../client/src/index.ts';
import { CategoryNames } from './category-names.ts';

export interface CategoriesOptions {
  client: Pick<PetstoreClient, 'categories' | 'putCategory' | 'deleteCategory' | 'searchPetsPage'>;
  onChange: () => void;
  /** Called with a category that this till has named, and the ETag of its name. */
  onCreated?: (category: Category, etag: string) => void;
}

/** Reads and changes the names of categories. While the service is away, the last names stay. */
export class Categories {
  names = new CategoryNames();
  /** True when the store may have other names. */
  isStale = true;
  readonly #options: CategoriesOptions;
  /** After a change that is done: if it fails, the list is stale, and is loaded with the next event. */
  readonly #reload = () => this.load().catch(() => {});

  constructor(options: CategoriesOptions) {
    this.#options = options;
  }

  async load(signal?: AbortSignal): Promise<void> {
    const list: Category[] = [];
    // An event that arrives from now on may be newer than the list.
    this.isStale = false;
    try {
      for await (const category of this.#options.client.categories({ signal })) list.push(category);
      this.names = new CategoryNames(list);
      this.#options.onChange();
    } catch (error) {
      this.isStale = true;
      throw error;
    }
  }

  /** Gives a name a number. If somebody else was faster to give the same name, theirs is the one. */
  async create(name: string, number?: bigint): Promise<void> {
    const { client, onCreated } = this.#options;
    const { id, etag } =
      number === undefined
        ? await createCategory(client, name, { isSame: isSameName })
        : await client.putCategory(number, name, { ifNoneMatch: '*' });
    if (etag !== undefined) onCreated?.({ id, name }, etag);
    await this.#reload();
  }

  /** Resolves with the new ETag. Fails with `precondition_failed` if the name is not the expected one. */
  async put(id: bigint, name: string, precondition: PutCategoryOptions): Promise<string | undefined> {
    const { etag } = await this.#options.client.putCategory(id, name, precondition);
    await this.#reload();
    return etag;
  }

  async remove(id: bigint, precondition?: ChangePetOptions): Promise<void> {
    await this.#options.client.deleteCategory(id, precondition);
    await this.#reload();
  }
}
