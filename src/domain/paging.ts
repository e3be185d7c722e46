export const pageLimit = { smallest: 1, largest: 100, default: 20 } as const;

/** Both sort by id. */
export const sorts = ['newest', 'oldest'] as const;
export type Sort = (typeof sorts)[number];

export interface Page {
  /** A JSON array of at most `limit` pets, sorted by ascending id unless the request asks otherwise. */
  json: string;
  /** The last id of this page; present if more pets follow. */
  next?: bigint;
}

/** Makes a page of these rows. Callers read `limit` + 1 rows: the extra one shows that another page follows. */
export function pageOf<Row>(rows: readonly Row[], limit: number, render: (row: Row) => string): Page {
  const items = rows.slice(0, limit).map(render);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { json: `[${items.join(',')}]`, ...(last !== undefined && { next: idOf(last) }) };
}

/** The id in a rendered pet or order. It is always the first field. */
export function idOf(json: string): bigint {
  return BigInt(json.slice('{"id":'.length, json.indexOf(',')));
}
