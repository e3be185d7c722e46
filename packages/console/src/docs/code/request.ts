/** The address in the examples. The docs show the one that the reader chooses instead. */
export const exampleAddress = 'http://127.0.0.1:8080';

/** A request as the samples and "Copy as curl" show it. The key is never part of it. */
export interface ApiRequest {
  method: string;
  /** With its parameters and its query filled in. */
  path: string;
  headers: [name: string, value: string][];
  body?: string | undefined;
}

export function renderCurl(base: string, { method, path, headers, body }: ApiRequest): string {
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
