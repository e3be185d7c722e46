import { indentJson, tokensOf } from '../code.ts';
import { offerCopying } from './copy.ts';

export interface Received {
  response: Response;
  bytes: Uint8Array<ArrayBuffer>;
  elapsedMs: number;
}

export function showSending(form: HTMLFormElement): void {
  statusOf(form)?.replaceChildren('Sending…');
}

export function showMissingKey(form: HTMLFormElement): void {
  const help = Object.assign(element('a', 'How to get one'), { href: '#key' });
  statusOf(form)?.replaceChildren(element('span', 'Enter an API key in the bar first.', 'error'), ' ', help);
}

export function showResponse(form: HTMLFormElement, { response, bytes, elapsedMs }: Received): void {
  const { status, statusText, headers } = response;
  const badge = element('span', `${status} ${statusText}`.trim(), `code c${String(status).charAt(0)}`);
  const text = new TextDecoder().decode(bytes);
  statusOf(form)?.replaceChildren(badge, ` ${Math.round(elapsedMs)} ms · ${sizeOf(bytes.byteLength)}`);
  const outcome = form.querySelector<HTMLElement>('.outcome');
  outcome?.replaceChildren(...explainError(text, status), createHeaders(headers), createBody(text));
  if (outcome) offerCopying(outcome);
}

/** Shows that no response arrived, or that nothing could be sent. */
export function showFailure(form: HTMLFormElement, error: unknown): void {
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
  const reason = isTimeout ? 'No response within 30 seconds.' : 'The request could not be sent.';
  const advice = 'The service may be restarting, or a header contains a character that headers do not allow.';
  statusOf(form)?.replaceChildren(element('span', reason, 'error'));
  form.querySelector('.outcome')?.replaceChildren(element('p', isTimeout ? 'Try again.' : advice, 'help'));
}

function statusOf(form: HTMLFormElement): HTMLElement | null {
  return form.querySelector<HTMLElement>('.try-status');
}

/** What to do about an error, in the words of the guide. */
function explainError(text: string, status: number): HTMLElement[] {
  const [, code] = status < 400 ? [] : (/"code"\s*:\s*"(\w+)"/.exec(text) ?? []);
  const entry = code === undefined ? null : document.getElementById(`error-${code}`);
  if (!entry) return [];
  const link = Object.assign(element('a', code ?? ''), { href: `#${entry.id}` });
  const explanation = element('p', '', 'explanation');
  explanation.append(link, ` ${entry.querySelector('dd')?.textContent ?? ''}`);
  return [explanation];
}

function createHeaders(headers: Headers): HTMLElement {
  const details = element('details', '');
  const all = [...headers];
  const lines = all.map(([name, value]) => `${name}: ${value}`).join('\n');
  details.append(element('summary', `Headers (${all.length})`), createPre('Headers', [lines]));
  return details;
}

/** Indented and coloured as text: a parsed number would lose digits. */
function createBody(text: string): HTMLElement {
  const block = element('div', '', 'block result');
  const head = element('div', '', 'block-head');
  head.append(element('span', text === '' ? 'No body' : 'Body'));
  block.append(head);
  if (text === '') return block;
  const nodes = tokensOf(indentJson(text)).map((token) =>
    token.kind === undefined ? token.text : element('span', token.text, `t-${token.kind}`),
  );
  block.append(createPre('Body', nodes));
  return block;
}

function createPre(ariaLabel: string, content: (Node | string)[]): HTMLElement {
  const pre = Object.assign(element('pre', ''), { tabIndex: 0 });
  pre.setAttribute('aria-label', ariaLabel);
  const code = element('code', '');
  code.append(...content);
  pre.append(code);
  return pre;
}

function sizeOf(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} KB`;
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  textContent: string,
  className = '',
): HTMLElementTagNameMap[Name] {
  return Object.assign(document.createElement(name), { textContent, className });
}
