import { exampleAddress, uuid, type ApiRequest } from './request.ts';

/** A Python program without packages. Python's integers are exact at any length. */
export function renderPython({ method, path, headers, body }: ApiRequest): string {
  const lines = [
    body !== undefined && 'import json',
    'import os',
    headers.some(([, value]) => uuid.test(value)) && 'import uuid',
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
      const text = uuid.test(value) ? 'str(uuid.uuid4())' : JSON.stringify(value);
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

const words: Record<string, string> = { true: 'True', false: 'False', null: 'None', ',': ', ', ':': ': ' };

/** JSON as a Python literal. Strings match whole, so their content is skipped. */
function toPython(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[a-z]+|[,:]/g, (found) => words[found] ?? found);
}
