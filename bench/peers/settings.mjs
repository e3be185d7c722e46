/** What every peer is told when it starts. */
export const settings = {
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  apiKey: process.env.API_KEY,
  databaseUrl: process.env.DATABASE_URL,
  /** Only where answers are compared with what a caller already holds. */
  withEtag: process.env.WITH_ETAG === 'true',
};

export const statuses = ['available', 'pending', 'sold'];

/** The three-field error of the interface. */
export function errorBody(code, message, status) {
  return { code, message, status };
}

export function nextLink({ limit, status }, next) {
  return `<?limit=${limit}${status ? `&status=${status}` : ''}&cursor=${next}>; rel="next"`;
}

/** A page is read with one row more than asked for; that row says that another page follows. */
export function pageOf(rows, limit) {
  if (rows.length <= limit) return { pets: rows.map(withoutNull) };
  const pets = rows.slice(0, limit).map(withoutNull);
  return { pets, next: pets.at(-1).id };
}

export function withoutNull(row) {
  if (row.status === null) delete row.status;
  return row;
}
