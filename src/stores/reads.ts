import { int64Range } from '../domain/int64.ts';
import { eventsGone } from '../domain/history.ts';
import type { MaybePromise } from '../system/maybe-promise.ts';
import type { Dialect, Engine, PageRange, Statement, Value } from './statement.ts';
import {
  type EventPage,
  type EventQuery,
  type EventStore,
  type OrderQuery,
  type OrderStore,
  type Page,
  type PetQuery,
  type PetStore,
  type SearchQuery,
  type Sort,
  type SortedQuery,
} from './store.ts';

/**
 * Every read of the service. A page is the JSON of its rows, joined by the database, so that one text crosses. Rows are
 * joined in the order of the sorted subquery that both engines read them from.
 */
export function createReads(engine: Engine): {
  pets: Omit<PetStore, 'version' | 'apply' | 'areWritesFailing'>;
  orders: OrderStore;
  events: EventStore;
} {
  const statements = createPageStatements(engine.dialect);
  const searchStatementOf = createSearchStatements(engine.dialect);

  const readPage = (statement: Statement, query: SortedQuery, values: Value[]): MaybePromise<Page> => {
    const start = startOf(query);
    if (start === undefined) return emptyPage;
    const { limit } = query;
    return engine.read(statement, [start, limit, ...values], ([row]: PageRow[]) => pageOf(row, limit));
  };

  const readJson = (statement: Statement, id: bigint) =>
    engine.read(statement, [id], ([row]: { json: string }[]) => row?.json);

  const listPets = (query: PetQuery & { sort?: Sort }) => {
    const { status, sort = 'oldest' } = query;
    if (status === undefined) return readPage(statements.pets[sort], query, []);
    return readPage(statements.petsByStatus[sort], query, [status]);
  };

  return {
    pets: {
      listPets,
      getPet: (id) => readJson(selectPet, id),
      listCategories: (query) => readPage(statements.categories, query, []),
      getCategory: (id) => readJson(selectCategory, id),

      searchPets(query, signal) {
        const { id, limit, words = [], categoryId, sort = 'newest' } = query;
        const isList = id === undefined && words.length === 0 && categoryId === undefined;
        if (isList) return listPets({ ...query, sort });
        const { statement, values } = searchStatementOf({ ...query, sort });
        // The index of the ids finds the one pet.
        if (id !== undefined) return readPage(statement, { ...query, sort }, values);
        const start = startOf({ ...query, sort });
        if (start === undefined) return emptyPage;
        return engine
          .scan<PageRow>(statement, [start, limit, ...values], signal)
          .then(([row]) => pageOf(row, limit));
      },
    },

    orders: {
      listOrders(query) {
        const { sort = 'oldest', after, status, petId, returned } = query;
        const { since = firstMs, until = lastMs } = query;
        const values = [after, status, petId, returned, since, until].map((value) => value ?? null);
        return readPage(statements.orders[indexFor(query)][sort], query, values);
      },
    },

    events: {
      checkEveryMs: engine.checkEventsEveryMs,

      async listEvents(query) {
        const { after, petId, type } = query;
        const isEnd = after === 'now';
        const start = isEnd ? undefined : after?.id;
        const values = [
          start !== undefined && start > farthest ? farthest : (start ?? null),
          ...[isEnd ? 0 : query.limit, petId ?? null, type ?? null],
        ];
        return eventPageOf(await engine.read(selectEvents, values, ([row]: EventsRow[]) => row), query);
      },
    },
  };
}

const selectPet: Statement = {
  name: 'select-pets',
  input: { id: 'bigint' },
  sql: 'SELECT json FROM pets WHERE id = input.id',
};

const selectCategory: Statement = {
  name: 'select-category',
  input: { id: 'bigint' },
  sql: 'SELECT json FROM categories WHERE id = input.id',
};

/** The first columns of a page's input; the others are those of its filters. */
const pageInput = { start: 'bigint', size: 'bigint' } as const;
const orderInput: Statement['input'] = {
  ...pageInput,
  ...{ after: 'bigint', status: 'text', pet_id: 'bigint', returned: 'boolean' },
  ...{ since: 'bigint', until: 'bigint' },
};

/** `coalesce` keeps the filters from using an index, so the index of its range reads each page of orders. */
const orderFilter = `
  AND coalesce(status = input.status, true)
  AND coalesce((returned_at IS NOT NULL) = input.returned, true)
  AND coalesce(created_at >= input.since AND created_at < input.until, true)`;

/** The statements that read pages. */
function createPageStatements(dialect: Dialect) {
  const page = (name: string, table: string, input: Statement['input'], range: PageRange, filter = '') => ({
    name,
    input,
    sql: pageSql(dialect, table, range, filter),
  });
  const eachSort = (make: (sort: Sort) => Statement): Record<Sort, Statement> => ({
    oldest: make('oldest'),
    newest: make('newest'),
  });
  const ordersBy = (index: string, rangeOf: (sort: Sort) => PageRange) =>
    eachSort((sort) => page(`orders-${index}-${sort}`, 'orders', orderInput, rangeOf(sort), orderFilter));
  const onlyReturned = ({ where, orderBy }: PageRange): PageRange => ({
    where: `returned_at IS NOT NULL AND ${where}`,
    orderBy,
  });
  return {
    pets: eachSort((sort) => page(`pets-${sort}`, 'pets', pageInput, dialect.rangeOf(undefined, sort))),
    petsByStatus: eachSort((sort) =>
      page(`pets-status-${sort}`, 'pets', { ...pageInput, status: 'text' }, dialect.rangeOf('status', sort)),
    ),
    categories: page('categories', 'categories', pageInput, dialect.rangeOf(undefined, 'oldest')),
    orders: {
      all: ordersBy('all', (sort) => dialect.rangeOf(undefined, sort)),
      returned: ordersBy('returned', (sort) => onlyReturned(dialect.rangeOf(undefined, sort))),
      status: ordersBy('status', (sort) => dialect.rangeOf('status', sort)),
      pet: ordersBy('pet', (sort) => dialect.rangeOf('pet_id', sort)),
      time: ordersBy('time', (sort) => timeRanges[sort]),
    },
  };
}

function pageSql(dialect: Dialect, table: string, { where, orderBy }: PageRange, filter: string): string {
  const rows = dialect.limited(`SELECT json FROM ${table} WHERE ${where}${filter} ORDER BY ${orderBy}`);
  return `SELECT string_agg(json, ',') AS json, CAST(count(*) AS integer) AS count FROM (${rows}) AS page`;
}

/** The range of a Date, for orders of any time. */
const [firstMs, lastMs] = [-8.64e15, 8.64e15];

/** The cursor is an id; this is the time that belongs to it. */
const timeOfLast = 'SELECT last.created_at FROM orders AS last WHERE last.id = input.after';
const timeRanges: Record<Sort, PageRange> = {
  oldest: {
    where: `(created_at, id) >= (coalesce((${timeOfLast}), input.since), input.start)
      AND created_at < input.until`,
    orderBy: 'created_at, id',
  },
  newest: {
    where: `(created_at, id) <= (coalesce((${timeOfLast}), input.until - 1), input.start)
      AND created_at >= input.since`,
    orderBy: 'created_at DESC, id DESC',
  },
};

/** The index to use. A pet has few orders, and few orders are returned. */
function indexFor(query: OrderQuery): 'pet' | 'time' | 'returned' | 'status' | 'all' {
  const { status, petId, returned, since, until } = query;
  if (petId !== undefined) return 'pet';
  if ((since ?? until) !== undefined) return 'time';
  if (returned) return 'returned';
  return status === undefined ? 'all' : 'status';
}

/** The first id that a page may have; undefined if none follows the cursor. */
function startOf({ sort = 'oldest', after }: SortedQuery): bigint | undefined {
  const { smallest, largest } = int64Range;
  if (sort === 'oldest') return after === undefined ? smallest : after === largest ? undefined : after + 1n;
  return after === undefined ? largest : after === smallest ? undefined : after - 1n;
}

/** One row more than the page has shows that another page follows. */
interface PageRow {
  json: string | null;
  count: number;
}

const emptyPage: Page = { json: '[]' };

/** Stands only between two rows: a quote within a text is escaped, and no field of a row is an object. */
const boundary = ',{"id":';

function pageOf(row: PageRow | undefined, limit: number): Page {
  if (!row?.json) return emptyPage;
  const { json, count } = row;
  if (count <= limit) return { json: `[${json}]` };
  const end = json.lastIndexOf(boundary);
  // The first row begins one character earlier, without a comma.
  const last = json.lastIndexOf(boundary, end - 1) + boundary.length;
  return { json: `[${json.slice(0, end)}]`, next: BigInt(json.slice(last, json.indexOf(',', last))) };
}

/** The most events that one filtered page reads, because the filters have no index. */
const maxEventsRead = 1000;

const startOfEvents = 'coalesce(input.after, (SELECT min(id) FROM events) - 1)';
/** Reads the bounds of the log together with the events, so that both come from one snapshot. */
const selectEvents: Statement = {
  name: 'events',
  input: { after: 'bigint', size: 'bigint', pet_id: 'bigint', type: 'text' },
  sql: `SELECT min(epoch) AS epoch,
      (SELECT CAST(min(id) AS text) FROM events) AS oldest, (SELECT CAST(max(id) AS text) FROM events) AS newest,
      string_agg(page.json, ',') AS json, CAST(count(page.id) AS integer) AS count,
      CAST(max(page.id) AS text) AS last
    FROM event_log LEFT JOIN (
      SELECT events.id, '{"id":' || CAST(events.id AS text) || ',' || substr(events.json, 2) AS json
      FROM events
      WHERE events.id > ${startOfEvents} AND events.id <= ${startOfEvents} + ${maxEventsRead}
        AND (input.pet_id IS NULL OR events.pet_id = input.pet_id)
        AND (input.type IS NULL OR events.type = input.type)
      ORDER BY events.id LIMIT input.size + 0
    ) AS page ON true`,
};
/** From later positions, the end of a page would overflow. No log is that long. */
const farthest = int64Range.largest - BigInt(maxEventsRead);

/** Null where there are no events. */
type EventsRow = { epoch: string | null; count: number } & Record<
  'oldest' | 'newest' | 'json' | 'last',
  string | null
>;

function eventPageOf(row: EventsRow | undefined, { after, limit }: EventQuery): EventPage {
  if (!row?.epoch) throw new Error('The log of events has no epoch.');
  const { epoch, json, count, last } = row;
  const newest = BigInt(row.newest ?? 0);
  const oldest = BigInt(row.oldest ?? 1);
  if (after === 'now') return { json: '[]', next: { epoch, id: newest }, isEnd: true };
  const start = after?.id ?? oldest - 1n;
  if ((after && after.epoch !== epoch) || start > newest || start < oldest - 1n) throw eventsGone();
  const readUpTo = start + BigInt(maxEventsRead);
  const isFull = count === limit && last !== null;
  const id = isFull ? BigInt(last) : readUpTo < newest ? readUpTo : newest;
  return { json: `[${json ?? ''}]`, next: { epoch, id }, isEnd: count === 0 && id === newest };
}

/** Makes the statements of searches. They have no names, because there are too many kinds to keep a plan for each. */
function createSearchStatements(dialect: Dialect) {
  /** By sort and columns: searches by id that wait together become one query only if they share their statement. */
  const statements = new Map<string, Statement>();

  return (query: SearchQuery): { statement: Statement; values: Value[] } => {
    const { id, words = [], categoryId, status, sort = 'newest' } = query;
    const input: Record<string, 'bigint' | 'text'> = { ...pageInput };
    const values: Value[] = [];
    const conditions: string[] = [];
    const add = (column: string, type: 'bigint' | 'text', value: Value | undefined, condition: string) => {
      if (value === undefined) return;
      input[column] = type;
      values.push(value);
      conditions.push(` AND ${condition}`);
    };
    add('id', 'bigint', id, 'id = input.id');
    add('category_id', 'bigint', categoryId, 'category_id = input.category_id');
    add('status', 'text', status, 'status = input.status');
    for (const [index, word] of words.entries()) {
      const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
      add(`word${index}`, 'text', pattern, `folded_name LIKE input.word${index} ESCAPE '\\'`);
    }
    const kind = [sort, ...Object.keys(input)].join();
    let statement = statements.get(kind);
    if (!statement) {
      const range = dialect.rangeOf(undefined, sort);
      statement = { input, sql: pageSql(dialect, 'pets', range, conditions.join('')) };
      statements.set(kind, statement);
    }
    return { statement, values };
  };
}
