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

/** The query of a list, for frameworks without schemas: its value, or the error that it has. */
export function parseQuery({ limit = '20', status, cursor = '0' }) {
  const value = { limit: Number(limit), status, cursor: Number(cursor) };
  const isLimit = Number.isInteger(value.limit) && value.limit >= 1 && value.limit <= 100;
  if (!isLimit) return invalid('limit must be from 1 to 100.');
  if (status !== undefined && !statuses.includes(status)) return invalid('status is unknown.');
  return Number.isInteger(value.cursor) ? { value } : invalid('cursor must be an integer.');
}

/** The same for a new pet. */
export function parsePet({ name, categoryId, status } = {}) {
  const hasStatus = status === undefined || statuses.includes(status);
  const isPet = typeof name === 'string' && Number.isInteger(categoryId) && hasStatus;
  return isPet ? { value: { name, categoryId, status } } : invalid('The pet is not valid.');
}

const invalid = (message) => ({ error: errorBody('invalid_request', message, 400) });

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
