import { Database } from 'bun:sqlite';

/**
 * A control runs the service with one of these files as its preload, which puts a broken layer between the service and
 * the runtime. Nothing here knows the source of the service, so no rename in it can make a control pass.
 */

type Fetch = (request: Request) => Response | Promise<Response>;
interface ServeOptions {
  fetch: Fetch;
  idleTimeout?: number;
}
type Serve = (options: ServeOptions) => Bun.Server<undefined>;

/** Changes what the service is told to serve with. */
export function breakServe(
  change: (options: ServeOptions) => Partial<ServeOptions>,
  onServe: (server: Bun.Server<undefined>) => void = () => {},
): void {
  const runtime = Bun as unknown as { serve: Serve };
  const { serve } = runtime;
  runtime.serve = (options) => {
    const server = serve({ ...options, ...change(options) });
    onServe(server);
    return server;
  };
}

/** Changes what happens to each request. */
export function breakFetch(change: (request: Request, fetch: Fetch) => Response | Promise<Response>): void {
  breakServe(({ fetch }) => ({ fetch: (request) => change(request, fetch) }));
}

interface BrokenSql {
  /** Changes the text of a statement. */
  rewrite?: (sql: string) => string;
  /** Runs a statement, or does not. */
  onRun?: (sql: string, run: () => unknown) => unknown;
}

/** Changes what is run as SQL, in the threads of the service as well: `file` is the preload itself. */
export function breakSql(
  file: string,
  { rewrite = (sql) => sql, onRun = (_, run) => run() }: BrokenSql,
): void {
  const database = Database.prototype as unknown as {
    run: (this: object, sql: string, ...values: unknown[]) => unknown;
    query: (this: object, sql: string) => { run(...values: unknown[]): unknown };
  };
  const { run, query } = database;
  /** The runtime gives the same statement for the same text. */
  const changed = new WeakSet<object>();
  database.run = function (sql, ...values) {
    return onRun(sql, () => run.call(this, rewrite(sql), ...values));
  };
  database.query = function (sql) {
    const statement = query.call(this, rewrite(sql));
    if (changed.has(statement)) return statement;
    changed.add(statement);
    const runStatement = statement.run.bind(statement);
    statement.run = (...values) => onRun(sql, () => runStatement(...values));
    return statement;
  };
  breakThreads(file);
}

/** Gives the threads of the service the same preload. */
function breakThreads(file: string): void {
  globalThis.Worker = class extends Worker {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      super(url, { ...options, preload: file });
    }
  };
}
