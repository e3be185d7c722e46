import { createIdempotencyKey } from '../../../../../client/src/index.ts';
import { thisHost } from '../address.ts';
import { copyFrom } from '../copy.ts';
import { renderCurl, type ApiRequest } from '../../code.ts';
import { offerKey } from './key.ts';
import { showFailure, showMissingKey, showResponse, showSending } from './outcome.ts';
import { fillQuery, requestOf } from './request.ts';

const timeoutMs = 30_000;

type ReadKey = () => string | undefined;

/** Shows the forms that send real requests to this host. */
export function offerTrying(address: string): void {
  const readKey = offerKey();
  for (const link of document.querySelectorAll<HTMLElement>('.try-link')) link.hidden = false;
  for (const form of document.querySelectorAll<HTMLFormElement>('form.try')) {
    form.hidden = false;
    renewKey(form);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void tryOut(form, readKey, requestOf(form));
    });
    const copyCurl = form.querySelector<HTMLButtonElement>('[data-copy-curl]');
    if (copyCurl) copyCurl.hidden = !isSecureContext;
    copyCurl?.addEventListener('click', () => {
      void copyFrom(copyCurl, renderCurl(requestOf(form), address));
      renewKey(form);
    });
  }
}

async function tryOut(form: HTMLFormElement, readKey: ReadKey, request: ApiRequest): Promise<void> {
  if (form.ariaBusy === 'true') return;
  const apiKey = readKey();
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
    showResponse(form, {
      response,
      bytes,
      elapsedMs: performance.now() - startedAt,
      followNext(query) {
        fillQuery(form, query);
        void tryOut(form, readKey, { ...request, path: path.replace(/\?.*$/, '') + query });
      },
    });
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
