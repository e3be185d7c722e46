/** The address in the examples. The docs show that of the service instead. */
export const exampleAddress = 'http://127.0.0.1:8080';

/**
 * A UUID in a header stands for a new one: a program makes it, and the docs replace it each time a command is copied, so
 * that no two readers send the same key.
 */
export const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;

/** A request as the samples and "Copy as curl" show it. The key is never part of it. */
export interface ApiRequest {
  method: string;
  /** With its parameters and its query filled in. */
  path: string;
  headers: [name: string, value: string][];
  body?: string | undefined;
}

export function renderCurl({ method, path, headers, body }: ApiRequest, base = exampleAddress): string {
  // With a body, curl sends POST; without one, GET.
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  const command = `curl ${isImplied ? '' : `-X ${method} `}-H "Authorization: Bearer $API_KEY"`;
  const parts = [command, ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`)];
  // After `-d`, curl would read a file that the text names after an `@`.
  if (body !== undefined) parts.push(`${body.startsWith('@') ? '--data-raw' : '-d'} ${quote(body)}`);
  const address = base + path;
  parts.push(/^[\w.:/-]+$/.test(address) ? address : quote(address));
  return parts.join(' \\\n  ');
}

/** One word for any POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
