/**
 * Signed requests to a bucket. The runtime's own client would wait minutes for a silent server, and read a list of any
 * length into memory; here it only makes addresses.
 */

import { createHash, createHmac } from 'node:crypto';
import { OperatorError } from '../domain/error.ts';

/** Without a key, the request is about the bucket. */
export type Send = (
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  key?: string,
  query?: Record<string, string>,
  body?: string | Blob,
) => Promise<S3Response>;

export interface S3Response {
  ok: boolean;
  status: number;
  headers: Headers;
  chunks: AsyncGenerator<Uint8Array>;
}

const maxAttempts = 3;
const pauseMs = 500;
const maxErrorBytes = 64 * 1024;

/** A request that moves no byte for `silenceMs` fails. `name` is what the operator calls the place. */
export function createSend(name: string, options: Bun.S3Options, silenceMs: number): Send {
  return async (method, key, query = {}, body) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === maxAttempts;
      try {
        const response = await sendOnce(name, silenceMs, sign(options, method, key, query), method, body);
        if (response.ok) return response;
        const [, code = response.status] =
          /<Code>(\w+)<\/Code>/.exec((await readText(response, maxErrorBytes)) ?? '') ?? [];
        if (response.status < 500 || isLast) throw unusable(name, String(code));
      } catch (error) {
        if (isLast || error instanceof OperatorError) throw explain(error, name);
      }
      await Bun.sleep(pauseMs);
    }
  };
}

async function sendOnce(
  name: string,
  silenceMs: number,
  url: string,
  method: string,
  body: string | Blob | undefined,
): Promise<S3Response> {
  const silence = new AbortController();
  const end = (): void => silence.abort(unusable(name, `silent for ${silenceMs / 1000} seconds`));
  const timer = setTimeout(end, silenceMs).unref();
  async function* watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        timer.refresh();
        yield chunk;
      }
    } catch (error) {
      throw explain(error, name);
    }
  }
  // As a stream, a file shows that it moves. A bucket wants to know its length before.
  const sent =
    body instanceof Blob
      ? { body: watched(body.stream()), headers: { 'Content-Length': String(body.size) } }
      : { body: body ?? null };
  const response = await fetch(url, { method, redirect: 'manual', signal: silence.signal, ...sent });
  const { ok, status, headers } = response;
  return { ok, status, headers, chunks: watched(response.body ?? new Blob().stream()) };
}

/** Undefined for a text that is larger. The rest of it is not read. */
export async function readText({ chunks }: S3Response, maxBytes: number): Promise<string | undefined> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    read.push(chunk);
  }
  return Buffer.concat(read).toString('utf8');
}

/** AWS Signature Version 4. The client signs no query of ours, but host, path, time, region and session are its own. */
function sign(options: Bun.S3Options, method: string, key: string | undefined, query: object): string {
  const url = new URL(new Bun.S3Client(options).presign(key ?? 'any'));
  const path = key === undefined ? url.pathname.replace(/\/any$/, '') : url.pathname;
  const { 'X-Amz-Signature': _, ...all } = { ...Object.fromEntries(url.searchParams), ...query };
  const fields = Object.entries(all).map(([field, value]) => `${encode(field)}=${encode(value)}`);
  const canonical = fields.toSorted().join('&');
  const request = [method, path, canonical, `host:${url.host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const scope = (all['X-Amz-Credential'] ?? '').split('/').slice(-4);
  const hash = createHash('sha256').update(request).digest('hex');
  const parts = [...scope, ['AWS4-HMAC-SHA256', all['X-Amz-Date'], scope.join('/'), hash].join('\n')];
  const hmac = (secret: Buffer, part: string) => createHmac('sha256', secret).update(part).digest();
  const signature = parts.reduce(hmac, Buffer.from(`AWS4${options.secretAccessKey}`)).toString('hex');
  return `${url.origin}${path}?${canonical}&X-Amz-Signature=${signature}`;
}

/** As RFC 3986 has it. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function explain(error: unknown, name: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof OperatorError || code === undefined ? error : unusable(name, code);
}

export function unusable(name: string, reason: string): OperatorError {
  const remedy = 'Check the bucket, its keys, its room, and S3_ENDPOINT.';
  return new OperatorError(`${name} cannot be used (${reason}).`, remedy);
}
