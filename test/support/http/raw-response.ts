/** A response as it came over a socket. */
export interface RawResponse {
  status: number;
  /** The status line and the headers. */
  head: string;
  body: Buffer;
  /** How many bytes it took, with the interim responses before it. */
  length: number;
}

/**
 * Reads the first response in these bytes; undefined while part of it is missing. The service names the length of every
 * body, so a response without one has no body. Neither has a response to HEAD.
 */
export function readResponse(bytes: Buffer, isHead = false): RawResponse | undefined {
  for (let start = 0; ;) {
    const headEnd = bytes.indexOf('\r\n\r\n', start);
    if (headEnd === -1) return undefined;
    const head = bytes.toString('latin1', start, headEnd);
    const bodyStart = headEnd + 4;
    const status = Number(head.split(' ', 2)[1]);
    if (status >= 200) {
      const hasBody = !isHead && status !== 204 && status !== 304;
      const length = bodyStart + (hasBody ? Number(headerOf(head, 'Content-Length') ?? 0) : 0);
      return bytes.length < length
        ? undefined
        : { status, head, body: bytes.subarray(bodyStart, length), length };
    }
    // An interim response, such as 100 Continue, is not the one that was asked for.
    start = bodyStart;
  }
}

export function headerOf(head: string, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}:[ \\t]*(.*)`, 'i').exec(head)?.[1];
}

export function headersOf(head: string): Headers {
  const [, ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}
