import type { ApiRequest } from '../../code.ts';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The request that a form describes. Empty fields are not sent. */
export function requestOf(form: HTMLFormElement): ApiRequest {
  const headers: ApiRequest['headers'] = [];
  const query = new URLSearchParams();
  let path = form.dataset['path'] ?? '';
  let body: string | undefined;
  for (const { value, dataset } of form.querySelectorAll<Field>('[data-in]')) {
    const { name = '', in: part } = dataset;
    if (part === 'body') body = value;
    else if (part === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '' && part === 'query') query.set(name, value);
    else if (value !== '') headers.push([name, value]);
  }
  if (body !== undefined) headers.unshift(['Content-Type', 'application/json']);
  return {
    method: form.dataset['method'] ?? 'GET',
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    headers,
    body,
  };
}

/** Shows the query of a link in the form. */
export function fillQuery(form: HTMLFormElement, query: string): void {
  const values = new URLSearchParams(query);
  for (const field of form.querySelectorAll<Field>('[data-in="query"]')) {
    field.value = values.get(field.dataset['name'] ?? '') ?? '';
  }
}
