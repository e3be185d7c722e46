import { PetstoreError, type App } from 'petstore-server/embed';
import { redact } from '../conform/redact.ts';
import type { SandboxRequest } from '../testing.mjs';

export interface Journal {
  /** Records the requests that pass through a layer. */
  wrap(next: App['fetch']): App['fetch'];
  /** Notes the fault of a request. */
  noteFault(request: Request, fault: { text: string; isCut: boolean }): void;
  /** The requests after `?since=ID`, newest last. */
  list(request: Request): SandboxRequest[];
  clear(): void;
}

const maxEntries = 1000;
const maxBodyBytes = 4096;

export function createJournal(apiKey: string, mutant?: number): Journal {
  let entries: SandboxRequest[] = [];
  let lastId = 0;
  const entryOf = new WeakMap<Request, SandboxRequest>();
  const cutEntries = new WeakSet<SandboxRequest>();

  const start = (request: Request): SandboxRequest => {
    // An HTTP/1.0 request may have no host, and its URL is then a bare path.
    const { pathname, search } = new URL(request.url, 'http://localhost');
    const entry: SandboxRequest = {
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
    if (entries.length > maxEntries) entries.shift();
    return entry;
  };

  return {
    wrap: (next) => async (request) => {
      const entry = start(request);
      // The copy is read while the service reads the body, so it is there before the response.
      if (request.body) void readStart(request.clone()).then((text) => (entry.body = redact(text, apiKey)));
      const response = await next(request);
      if (!cutEntries.has(entry)) entry.status = response.status;
      return response;
    },
    noteFault(request, { text, isCut }) {
      const entry = entryOf.get(request);
      if (!entry) return;
      entry.fault = text;
      if (isCut) cutEntries.add(entry);
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

/** The first bytes of a body, or what has arrived of it if its caller leaves. */
async function readStart({ body }: { body: ReadableStream<Uint8Array> | null }): Promise<string> {
  const chunks: Uint8Array[] = [];
  let count = 0;
  try {
    for await (const chunk of body ?? []) {
      chunks.push(chunk);
      count += chunk.length;
      if (count >= maxBodyBytes) break;
    }
  } catch {
    // The caller is gone.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBodyBytes));
}
