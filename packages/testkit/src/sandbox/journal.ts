import { PetstoreError, type App } from 'petstore-server/embed';
import { redact } from '../conform/redact.ts';

/** A request that a sandbox got, and what became of it. The key is left out. */
export interface JournalEntry {
  /** Counts up, also across a reset. */
  id: number;
  method: string;
  path: string;
  /** With its question mark, or empty. */
  query: string;
  headers: Record<string, string>;
  /** The first 4 KiB. */
  body: string;
  /** Null until there is a response, and if the connection was cut before it. */
  status: number | null;
  /** The fault that the request met, such as `cut=after-commit`. */
  fault?: string;
  /** The mutant that the sandbox serves. */
  mutant?: number;
}

export interface Journal {
  /** Keeps the requests of a layer. */
  wrap(next: App['fetch']): App['fetch'];
  /** Notes the fault of a request. */
  noteFault(request: Request, fault: { text: string; isCut: boolean }): void;
  /** Those after the id of `?since=ID`, newest last. */
  list(request: Request): JournalEntry[];
  clear(): void;
}

const mostEntries = 1000;
const mostBodyBytes = 4096;

export function createJournal(apiKey: string, mutant?: number): Journal {
  let entries: JournalEntry[] = [];
  let lastId = 0;
  const entryOf = new WeakMap<Request, JournalEntry>();
  const cut = new WeakSet<JournalEntry>();

  const start = (request: Request): JournalEntry => {
    // An HTTP/1.0 request may have no host, and its URL is then a bare path.
    const { pathname, search } = new URL(request.url, 'http://localhost');
    const entry: JournalEntry = {
      id: ++lastId,
      method: request.method,
      path: redact(pathname, apiKey),
      query: redact(search, apiKey),
      headers: Object.fromEntries([...request.headers].map(([name, value]) => [name, redact(value, apiKey)])),
      body: '',
      status: null,
      ...(mutant !== undefined && { mutant }),
    };
    entryOf.set(request, entry);
    entries.push(entry);
    if (entries.length > mostEntries) entries.shift();
    return entry;
  };

  return {
    wrap: (next) => async (request) => {
      const entry = start(request);
      // The copy is read while the service reads the body, so it is there before the response.
      if (request.body) void readStart(request.clone()).then((text) => (entry.body = redact(text, apiKey)));
      const response = await next(request);
      if (!cut.has(entry)) entry.status = response.status;
      return response;
    },
    noteFault(request, { text, isCut }) {
      const entry = entryOf.get(request);
      if (!entry) return;
      entry.fault = text;
      if (isCut) cut.add(entry);
    },
    list(request) {
      const since = new URL(request.url, 'http://localhost').searchParams.get('since') ?? '0';
      if (!/^\d{1,15}$/.test(since)) {
        throw new PetstoreError('invalid_parameter', 'since must be the id of a request.');
      }
      return entries.filter(({ id }) => id > Number(since));
    },
    clear: () => void (entries = []),
  };
}

/** The first bytes of a body. A caller that leaves before its end has sent what arrived. */
async function readStart({ body }: { body: ReadableStream<Uint8Array> | null }): Promise<string> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      count += chunk.length;
      if (count >= mostBodyBytes) break;
    }
  } catch {
    // The caller is gone.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, mostBodyBytes));
}
