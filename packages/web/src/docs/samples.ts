import { escapeHtml } from '../html.ts';
import {
  exampleAddress,
  indentJson,
  isJson,
  newUuid,
  renderCurl,
  tokensOf,
  type ApiRequest,
  type Language,
} from './code.ts';
import { renderStatus } from './markup.ts';

/** The languages of the samples, in the order of the language switch. */
export const sampleLanguages = {
  curl: { label: 'curl', highlighted: 'shell' },
  typescript: { label: 'TypeScript', highlighted: 'typescript' },
  python: { label: 'Python', highlighted: 'python' },
} as const satisfies Record<string, { label: string; highlighted: Language }>;

type SampleLanguage = keyof typeof sampleLanguages;

export interface Shown {
  code: string;
  /** What the code prints, or the body of the response. */
  prints: string;
}

export interface CodeSample extends Partial<Record<SampleLanguage, Shown>> {
  /** The status of the response. Without it, the output is plain text and not a body. */
  status?: string | undefined;
}

/** A request in every language, and the matching call of the client, if there is one. */
export function toSample(request: ApiRequest, status: string, prints: string, client?: Shown): CodeSample {
  return {
    status,
    curl: { code: renderCurl(request), prints },
    ...(client && { typescript: client }),
    python: { code: renderPython(request), prints },
  };
}

/** A sample in every language. The script shows one language at a time. */
export function renderSample(sample: CodeSample, title: string): string {
  const figures = Object.entries(sampleLanguages).map(([language, { label, highlighted }]) => {
    const shown = sample[language as SampleLanguage];
    if (!shown) return '';
    const { code, prints } = shown;
    const isResponse = sample.status !== undefined && language !== 'typescript';
    const text = prints === '' ? 'No body' : indentJson(prints);
    return `<figure data-language="${language}">
${renderBlock({ text: code, language: highlighted, title: label, label: `${title} with ${label}` })}
${renderBlock({
  text,
  language: isJson(text) ? 'json' : 'text',
  title: isResponse ? `Response ${renderStatus(escapeHtml(sample.status ?? ''))}` : 'Output',
  label: `${isResponse ? 'Response to' : 'Output of'} ${title} with ${label}`,
  className: 'result',
})}</figure>`;
  });
  return `<div class="samples">${figures.join('\n')}</div>`;
}

interface CodeBlock {
  text: string;
  language: Language;
  /** HTML, shown above the code. */
  title: string;
  /** For screen readers. */
  label: string;
  className?: string;
}

/** Code that can be scrolled by keyboard. The script adds a copy button. */
export function renderBlock({ text, language, title, label, className = '' }: CodeBlock): string {
  const code = tokensOf(text, language).map(({ kind, text: part }) =>
    kind === undefined ? escapeHtml(part) : `<span class="t-${kind}">${escapeHtml(part)}</span>`,
  );
  return `<div class="block ${className}"><div class="block-head"><span>${title}</span></div>
<pre tabindex="0" aria-label="${escapeHtml(label)}"><code>${code.join('')}</code></pre></div>`;
}

export function renderCommand(text: string): string {
  return renderBlock({ text, language: 'shell', title: 'Shell', label: 'Command' });
}

/** A Python program without packages. Python's integers are exact at any length. */
function renderPython({ method, path, headers, body }: ApiRequest): string {
  const lines = [
    body !== undefined && 'import json',
    'import os',
    headers.some(([, value]) => value === newUuid) && 'import uuid',
    'from urllib.error import HTTPError',
    'from urllib.request import Request, urlopen',
    '',
    body !== undefined && `body = json.dumps(${toPython(body)})`,
    'request = Request(',
    `    ${JSON.stringify(exampleAddress + path)},`,
    method !== 'GET' && `    method="${method}",`,
    '    headers={',
    `        "Authorization": f"Bearer {os.environ['API_KEY']}",`,
    ...headers.map(([name, value]) => {
      const text = value === newUuid ? 'str(uuid.uuid4())' : JSON.stringify(value);
      return `        ${JSON.stringify(name)}: ${text},`;
    }),
    '    },',
    body !== undefined && '    data=body.encode(),',
    ')',
    'try:',
    '    with urlopen(request) as response:',
    '        print(response.status, response.read().decode())',
    'except HTTPError as error:',
    '    print(error.code, error.read().decode())',
  ];
  return lines.filter((line) => line !== false).join('\n');
}

const pythonWords: Record<string, string> = {
  true: 'True',
  false: 'False',
  null: 'None',
  ',': ', ',
  ':': ': ',
};

/** JSON as a Python literal. Strings match whole, so their content is skipped. */
function toPython(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[a-z]+|[,:]/g, (found) => pythonWords[found] ?? found);
}
