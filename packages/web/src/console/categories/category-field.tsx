import { useState } from 'preact/hooks';
import { tellProblem } from '../connect.ts';
import { Field } from '../field.tsx';
import type { Categories } from './categories.ts';
import { isInteger } from './category-names.ts';
import { useCategoryNames } from './use-category-names.ts';

export interface CategoryFieldProps {
  id: string;
  label: string;
  /** A number, or what a person has typed. */
  text: string;
  error: string | undefined;
  categories: Categories;
  onChange: (text: string) => void;
}

/** Takes a name or a number, and offers to make a category of a name that no number has. */
export function CategoryField({ id, label, text, error, categories, onChange }: CategoryFieldProps) {
  const names = useCategoryNames();
  // A number becomes its name as soon as nobody types it.
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<{ text: string; message: string }>();
  const shown = text === typed || !isInteger(text) ? text : names.nameOrNumber(BigInt(text));
  const name = text.trim();
  const isUnknown = name !== '' && names.numberOf(name) === undefined;

  // What was wrong may be right by now.
  const isNamed = name !== '' && !isUnknown && !isInteger(name);

  const change = (next: string) => {
    setTyped(next);
    // A scan puts the name of a number back.
    const number = names.numberOf(next);
    onChange(number !== undefined && next === names.nameOf(number) ? number.toString() : next);
  };
  const create = async (button: HTMLElement) => {
    try {
      await categories.create(name);
    } catch (failure) {
      setProblem({ text, message: tellProblem(failure) });
    }
    // Unless the person has gone on.
    if ([button, document.body].includes(document.activeElement as HTMLElement))
      document.getElementById(id)?.focus();
  };
  return (
    <>
      <Field
        id={id}
        label={label}
        error={(isNamed ? undefined : error) ?? (problem?.text === text ? problem.message : undefined)}
      >
        <input
          type="text"
          list={`${id}-names`}
          autocomplete="off"
          value={shown}
          onInput={({ currentTarget: { value } }) => change(value)}
          onBlur={() => setTyped(undefined)}
        />
      </Field>
      <datalist id={`${id}-names`}>
        {names.list.map((category) => (
          <option
            key={category.id.toString()}
            value={names.nameOf(category.id)}
            label={category.id.toString()}
          />
        ))}
      </datalist>
      {isUnknown && (
        <button
          type="button"
          class="plain new-category"
          onClick={({ currentTarget }) => void create(currentTarget)}
        >
          New category: <bdi>{name}</bdi>
        </button>
      )}
    </>
  );
}
