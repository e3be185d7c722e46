import { keepKeyForTab, readKey } from '../../console/session.ts';

/** Shows the service's address and one language at a time in the examples, and sends calls from the reference. */

const serviceAddress = new URL('.', location.href).href.replace(/\/$/, '');

showServiceAddress();
offerLanguages();
offerTrying();

function showServiceAddress(): void {
  for (const example of document.querySelectorAll<HTMLElement>('[data-address]')) {
    const { address = '' } = example.dataset;
    for (const code of example.querySelectorAll('code')) {
      code.textContent = (code.textContent ?? '').replaceAll(address, serviceAddress);
    }
  }
}

function offerLanguages(): void {
  const choices = document.querySelector<HTMLElement>('.language');
  if (!choices) return;
  choices.hidden = false;
  const choose = (language: string) => (document.documentElement.dataset['language'] = language);
  choices.addEventListener('change', (event) => choose((event.target as HTMLInputElement).value));
  choose(choices.querySelector<HTMLInputElement>('input:checked')?.value ?? 'curl');
}

function offerTrying(): void {
  const key = document.querySelector<HTMLInputElement>('#try-key');
  if (!key) return;
  key.value = readKey() ?? '';
  key.addEventListener('change', () => keepKeyForTab(key.value.trim()));
  for (const form of document.querySelectorAll<HTMLFormElement>('.key-form, .try')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (form.matches('.try')) void tryOut(form, key);
    });
  }
}

async function tryOut(form: HTMLFormElement, key: HTMLInputElement): Promise<void> {
  const outcome = form.querySelector<HTMLElement>('.outcome');
  if (!outcome) return;
  if (key.value.trim() === '') {
    outcome.replaceChildren(paragraph('Enter your API key above first.'));
    return key.focus();
  }
  outcome.replaceChildren(paragraph('Sending…'));
  try {
    const response = await send(form, key.value.trim());
    outcome.replaceChildren(
      paragraph(`${response.status} ${response.statusText}`),
      block('Headers', [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')),
      // Not parsed: long integers would lose digits.
      block('Body', await response.text()),
    );
  } catch {
    outcome.replaceChildren(paragraph('The service cannot be reached. Try again in a moment.'));
  }
}

function send(form: HTMLFormElement, apiKey: string): Promise<Response> {
  const headers = new Headers({ Authorization: `Bearer ${apiKey}` });
  const query = new URLSearchParams();
  let path = form.dataset['path'] ?? '';
  let body: string | undefined;
  for (const field of form.querySelectorAll<HTMLInputElement>('[data-in]')) {
    const { name = '', in: part } = field.dataset;
    if (part === 'body') {
      body = field.value;
      headers.set('Content-Type', 'application/json');
    } else if (part === 'path') path = path.replace(`{${name}}`, encodeURIComponent(field.value));
    else if (field.value !== '' && part === 'query') query.set(name, field.value);
    else if (field.value !== '') headers.set(name, field.value);
  }
  return fetch(`${serviceAddress}${path}${query.size === 0 ? '' : `?${query}`}`, {
    method: form.dataset['method'] ?? 'GET',
    headers,
    cache: 'no-store',
    ...(body !== undefined && { body }),
  });
}

function paragraph(textContent: string): HTMLElement {
  return Object.assign(document.createElement('p'), { textContent });
}

function block(ariaLabel: string, textContent: string): HTMLElement {
  return Object.assign(document.createElement('pre'), { tabIndex: 0, ariaLabel, textContent });
}
