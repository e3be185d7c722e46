import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isPetstoreError, problemsOf, type Category } from '../../../../client/src/index.ts';
import type { Till } from '../till.ts';
import { tellProblem } from '../connect.ts';
import { Field } from '../field.tsx';
import { State } from '../state.tsx';
import { isSameName } from '../../../../../src/domain/fold.ts';
import { ask } from '../question.tsx';
import type { Categories } from './categories.ts';
import { isInteger } from './category-names.ts';
import { tellFailure, tellNamed } from '../tell-named.ts';
import { useCategoryNames } from './use-category-names.ts';

export interface CategoryListProps {
  till: Till;
  /** Shows the pets of a category. */
  onShow: (id: bigint) => void;
  /** Told above the list. */
  children: ComponentChildren;
}

/** The names of all categories. */
export function CategoryList({ till, onShow, children }: CategoryListProps) {
  const { list } = useCategoryNames();
  return (
    <section class="categories" aria-label="Categories">
      <h1>Categories</h1>
      {till.canChange && <NewCategory categories={till.categories} />}
      {children}
      {list.length === 0 ? (
        <State title="No names yet">
          <p>A category is a number that pets carry. With a name, it is easier to find.</p>
        </State>
      ) : (
        <ul class="card">
          {list.map((category) => (
            <CategoryRow key={category.id.toString()} {...{ category, till, onShow }} />
          ))}
        </ul>
      )}
    </section>
  );
}

type CategoryRowProps = Omit<CategoryListProps, 'children'> & { category: Category };

function CategoryRow({ category: { id, name }, till, onShow }: CategoryRowProps) {
  const [problem, setProblem] = useState<string>();
  const run = (work: Promise<void>) => {
    setProblem(undefined);
    work.catch((error: unknown) => setProblem(tellFailure(error)));
  };
  const rename = async () => {
    // Of two renames at once, the second fails.
    const { name: before, etag = '*' } = await till.client.getCategory(id);
    const field = { label: 'Name', value: before };
    const typed = await ask({ title: `Name of category ${id}`, field, action: 'Rename' });
    const to = typed?.trim() || before;
    if (to === before || !(await isWanted(till.categories, id, to))) return;
    try {
      const after = await till.categories.put(id, to, { ifMatch: etag });
      tellNamed(till, `Renamed category ${id}.`, id, before, { ifMatch: after ?? '*' });
    } catch (error) {
      setProblem(`${tellFailure(error)} Your text: “\u2068${to}\u2069”.`);
    }
  };
  const remove = async (button: HTMLElement) => {
    const near = button.closest('li')?.nextElementSibling ?? button.closest('li')?.previousElementSibling;
    const title = `Remove the name ${till.categories.names.mention(id)}?`;
    const text = `Its pets keep the number ${id}.`;
    if ((await ask({ title, text, action: 'Remove' })) === undefined) return;
    await till.categories.remove(id);
    tellNamed(till, `Removed the name of category ${id}.`, id, name, { ifNoneMatch: '*' });
    // Not into a text field, which would take the key u.
    (near?.querySelector<HTMLElement>('.danger') ?? document.getElementById('category-name'))?.focus();
  };
  return (
    <li class="category-row">
      <span class="number">{id.toString()}</span>
      <bdi class="category-name">{name}</bdi>
      <span class="actions">
        <button type="button" class="small" aria-label={`Show pets in ${name}`} onClick={() => onShow(id)}>
          Show pets
        </button>
        {till.canChange && (
          <button type="button" class="small" aria-label={`Rename ${name}`} onClick={() => run(rename())}>
            Rename
          </button>
        )}
        {till.mayDelete && (
          <button
            type="button"
            class="small danger"
            aria-label={`Remove the name ${name}`}
            onClick={({ currentTarget }) => run(remove(currentTarget))}
          >
            Remove
          </button>
        )}
      </span>
      <p class="help error" role="alert">
        {problem}
      </p>
    </li>
  );
}

/** Points out a name that another number has already. */
async function isWanted({ names }: Categories, id: bigint, name: string): Promise<boolean> {
  const same = names.list.find((other) => other.id !== id && isSameName(other.name, name));
  if (!same) return true;
  const title = `Category ${same.id} is “${same.name}” already.`;
  return (await ask({ title, action: `Name ${id} the same` })) !== undefined;
}

/** Names a number that pets may carry already, or the next one. */
function NewCategory({ categories }: { categories: Categories }) {
  const [typed, setTyped] = useState({ name: '', number: '' });
  const [errors, setErrors] = useState<{ name?: string; number?: string }>({});
  const name = typed.name.trim();
  const number = isInteger(typed.number) ? BigInt(typed.number) : undefined;

  const check = (): typeof errors => {
    if (name === '' || isInteger(name)) return { name: 'Enter a name.' };
    if (typed.number.trim() === '') {
      const same = categories.names.numberOf(name);
      return same === undefined ? {} : { name: `Category ${same} has this name already.` };
    }
    if (number === undefined) return { number: 'Enter a whole number, such as 7.' };
    const problem = problemsOf({ name, categoryId: number }).categoryId;
    return problem === undefined ? {} : { number: `Number ${problem}.` };
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const found = check();
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    try {
      if (number !== undefined && !(await isWanted(categories, number, name))) return;
      await categories.create(name, number);
      setTyped({ name: '', number: '' });
      document.getElementById('category-name')?.focus();
    } catch (error) {
      const isNamed = isPetstoreError(error, 'precondition_failed');
      setErrors(
        isNamed ? { number: `Category ${number} has a name already.` } : { name: tellProblem(error) },
      );
    }
  };
  return (
    <form
      class="new-category-form"
      aria-label="Add a category"
      noValidate
      onInput={() => setErrors({})}
      onSubmit={(event) => void submit(event)}
    >
      <Field id="category-name" label="New category" error={errors.name}>
        <input
          type="text"
          autocomplete="off"
          maxLength={100}
          value={typed.name}
          onInput={({ currentTarget }) => setTyped({ ...typed, name: currentTarget.value })}
        />
      </Field>
      <Field id="category-number" label="Number" error={errors.number}>
        <input
          type="text"
          inputMode="numeric"
          autocomplete="off"
          placeholder="automatic"
          value={typed.number}
          onInput={({ currentTarget }) => setTyped({ ...typed, number: currentTarget.value })}
        />
      </Field>
      <button type="submit" class="primary">
        Add
      </button>
    </form>
  );
}
