import { readFileSync } from 'node:fs';

/** A path outside the API, which works without a key. */
export interface OpenPath {
  /** As in `/assets/{file}`. */
  path: string;
  /** The responses to a GET, conditional requests aside. */
  statuses: number[];
  /** The media types of a 200. */
  mediaTypes: string[];
}

const document = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

/** The table of docs/operations.md, "Paths without a key". */
export const openPaths: OpenPath[] = [...document.matchAll(/^\| `(\/[^`]*)` \| ([\d, ]+) \|([^|]*)\|/gm)].map(
  ([, path = '', statuses = '', mediaTypes = '']) => ({
    path,
    statuses: statuses.split(', ').map(Number),
    mediaTypes: [...mediaTypes.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  }),
);
