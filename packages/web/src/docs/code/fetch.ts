import { exampleAddress, uuid, type ApiRequest } from './request.ts';

/**
 * A program for any runtime with `fetch`. It prints the response as text, because `JSON.parse` would round long ids.
 */
export function renderFetch({ method, path, headers, body }: ApiRequest): string {
  const init = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    '    Authorization: `Bearer ${process.env.API_KEY}`,',
    ...headers.map(
      ([name, value]) =>
        `    ${renderString(name)}: ${uuid.test(value) ? 'crypto.randomUUID()' : renderString(value)},`,
    ),
    '  },',
    ...(body === undefined ? [] : [`  body: ${renderBody(body)},`]),
  ];
  return `const url = ${renderString(exampleAddress + path)};
const response = await fetch(url, {
${init.join('\n')}
});
console.log(response.status, await response.text());`;
}

/** Renders an object, unless that would round a number. */
function renderBody(json: string): string {
  if (/\d{16}/.test(json)) return renderString(json);
  return `JSON.stringify(${renderValue(JSON.parse(json))})`;
}

function renderValue(value: unknown): string {
  if (typeof value === 'string') return renderString(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${renderValue(field)}`);
  return `{ ${fields.join(', ')} }`;
}

function renderString(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"');
  return `'${escaped.replaceAll("'", String.raw`\'`)}'`;
}
