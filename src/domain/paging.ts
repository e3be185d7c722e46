export const pageLimit = { smallest: 1, largest: 100, default: 20 } as const;

/** By id: newest first, or oldest first. */
export const sorts = ['newest', 'oldest'] as const;
export type Sort = (typeof sorts)[number];

export interface Page {
  /** A JSON array of at most `limit` pets, in ascending order of id unless the request says otherwise. */
  json: string;
  /** The last id of this page, present when more pets follow. */
  next?: bigint;
}

/** The page that these rows make. One row more than the page holds says that another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, render: (row: Row) => string): Page {
  const items = rows.slice(0, limit).map(render);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { json: `[${items.join(',')}]`, ...(last !== undefined && { next: idOf(last) }) };
}

/** The id in a rendered pet or order, whose first field it is. */
export function idOf(json: string): bigint {
  return BigInt(json.slice('{"id":'.length, json.indexOf(',')));
}
