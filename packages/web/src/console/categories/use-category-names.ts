import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { CategoryNames } from './category-names.ts';

export const CategoryNamesContext = createContext(new CategoryNames());

/** The latest names; the component is drawn again whenever they change. */
export function useCategoryNames(): CategoryNames {
  return useContext(CategoryNamesContext);
}
