import { openConnection } from '../../test/support/http/raw-http.ts';
import { headerOf, type RawResponse } from '../../test/support/http/raw-response.ts';

export interface RawResponses {
  /** The status of each response on the connection; empty when it was closed without one. */
  statuses: number[];
  /** True when the service itself made the first response, not the platform beneath it. */
  isOurs: boolean;
  /** Status line and headers of the first response. */
  head: string;
  body: string;
}

/** A response on a kept-alive connection is over when nothing more comes for this long. */
const quietMs = 400;
const patienceMs = 4000;

/** Sends bytes on a connection of their own and takes whatever comes back. */
export async function exchangeRaw(url: string, bytes: string): Promise<RawResponses> {
  const responses: RawResponse[] = [];
  using connection = await openConnection(url);
  if (!connection) throw new Error(`Nobody listens at ${url}.`);
  connection.write(bytes);
  const isHead = bytes.startsWith('HEAD ');
  for (let waitMs = patienceMs; ; waitMs = quietMs) {
    const found = await Promise.race([connection.receiveBytes(isHead), Bun.sleep(waitMs)]);
    // Of a response that was cut off, the head counts.
    const response = found === 'truncated' ? await connection.receiveBytes(true) : found;
    if (typeof response !== 'object') break;
    responses.push(response);
  }
  const [first] = responses;
  return {
    statuses: responses.map(({ status }) => status),
    isOurs: headerOf(first?.head ?? '', 'X-Request-Id') !== undefined,
    head: first?.head ?? '',
    body: String(first?.body ?? ''),
  };
}
