import { createIdempotencyKey } from '../../../../client/src/index.ts';
import { keepKeyForTab, readKey } from '../../console/session.ts';
import { renderCurl, type ApiRequest } from '../code.ts';
import { thisHost } from './address.ts';
import { copyFrom } from './copy.ts';
import { showFailure, showMissingKey, showResponse, showSending } from './outcome.ts';

const timeoutMs = 30_000;

type ReadKeyField = () => string | undefined;

/** Shows the forms that send real requests to this host. */
export function offerTrying(address: string): void {
  const readKeyField = offerKey();
  for (const link of document.querySelectorAll<HTMLElement>('.try-link')) link.hidden = false;
  for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
    form.hidden = false;
    renewKey(form);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void tryOut(form, readKeyField, requestOf(form));
    });
    const copyCurl = form.querySelector<HTMLButtonElement>('[data-copy-curl]');
    if (copyCurl) copyCurl.hidden = !isSecureContext;
    copyCurl?.addEventListener('click', () => {
      void copyFrom(copyCurl, renderCurl(requestOf(form), address));
      renewKey(form);
    });
  }
}

async function tryOut(form: HTMLFormElement, readKeyField: ReadKeyField, request: ApiRequest): Promise<void> {
  if (form.ariaBusy === 'true') return;
  const apiKey = readKeyField();
  if (apiKey === undefined) return showMissingKey(form);
  form.ariaBusy = 'true';
  showSending(form);
  try {
    const { method, path, body } = request;
    const headers = new Headers([['Authorization', `Bearer ${apiKey}`], ...request.headers]);
    const startedAt = performance.now();
    const response = await fetch(thisHost + path, {
      method,
      headers,
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body }),
    });
    // After an error, the next attempt is a retry: the same key never adds a second pet.
    if (response.ok) renewKey(form);
    const bytes = new Uint8Array(await response.arrayBuffer());
    showResponse(form, { response, bytes, elapsedMs: performance.now() - startedAt });
  } catch (error) {
    showFailure(form, error);
  } finally {
    form.ariaBusy = null;
  }
}

/** Fills in a new `Idempotency-Key`, unless the reader has changed the last one, which is the field's default. */
function renewKey(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>('[data-name="Idempotency-Key"]');
  if (field && field.value === field.defaultValue) field.value = field.defaultValue = createIdempotencyKey();
}

/** Shows the one key field of the docs. Its key is kept for this tab and shared with the console. */
function offerKey(): ReadKeyField {
  const field = document.querySelector<HTMLElement>('.bar-key');
  const input = field?.querySelector('input');
  if (!field || !input) return () => undefined;
  field.hidden = false;
  input.value = readKey() ?? '';
  input.addEventListener('input', () => input.removeAttribute('aria-invalid'));
  input.addEventListener('change', () => keepKeyForTab(input.value.trim()));
  return () => {
    const key = input.value.trim();
    if (key !== '') return key;
    input.setAttribute('aria-invalid', 'true');
    input.focus();
    return undefined;
  };
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The request that a form describes. Empty fields are not sent. */
function requestOf(form: HTMLFormElement): ApiRequest {
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
