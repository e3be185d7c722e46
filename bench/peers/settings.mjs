/** What every peer is told when it starts. */
export const settings = {
  port: Number(process.env.PORT),
  hostname: '127.0.0.1',
  apiKey: process.env.API_KEY,
  databaseUrl: process.env.DATABASE_URL,
};

export const isOnPostgres = settings.databaseUrl.startsWith('postgres:');
export const statuses = ['available', 'pending', 'sold'];

/** The three-field error of the API. */
export const errorBody = (code, message, status) => ({ code, message, status });
export const noPet = errorBody('not_found', 'No pet has this id.', 404);
export const noKey = errorBody('unauthorized', 'An API key is needed.', 401);

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
