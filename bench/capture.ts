import { bodyHeaders, type HttpRequest } from './requests.ts';

/** An answer of the service as the bare servers repeat it. */
export interface CapturedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

export type CapturedAnswers = Record<'GET' | 'POST', CapturedAnswer>;

/** Every server adds these by itself. */
const addedByServers = new Set(['date', 'content-length', 'connection', 'keep-alive']);

export async function captureAnswer(
  url: string,
  { method, path, body }: HttpRequest,
  headers: Record<string, string>,
): Promise<CapturedAnswer> {
  const init = body === undefined ? { headers } : { headers: { ...headers, ...bodyHeaders }, body };
  const response = await fetch(`${url}${path}`, { method, ...init });
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => !addedByServers.has(name))),
    body: response.status === 304 ? null : text,
  };
}
