import { join } from 'node:path';
import { collect } from '../../test/support/process/collect.ts';
import { useApi } from './session.ts';
import type { Tester } from './tester.ts';

interface Violation {
  location: string[];
  code: string | number;
  message: string;
}

export const prism: Tester = {
  name: 'Prism',
  packages: { '@stoplight/prism-cli': '5.16.0' },
  method:
    'stands between the service and a program that makes about 60 requests ([session.ts](../scripts/score/session.ts)), and validates each response.',
  async open({ folder, documentFile, sandbox }) {
    const program = join(folder, 'node_modules/.bin/prism');
    const proxy = Bun.spawn(
      [program, 'proxy', documentFile, `${sandbox.url}/v1`, '--host', '127.0.0.1', '--port', '0'],
      { stdout: 'pipe', stderr: 'ignore' },
    );
    // All output is read to its end: Prism writes a line for each request, and ends when nobody reads them.
    const listening = collect(proxy.stdout).untilMatch(/Prism is listening on (http:\/\/[\w.:]+)/);
    const ended = proxy.exited.then(() => Promise.reject(new Error('Prism ended.')));
    const [, url = ''] = await Promise.race([listening, ended]);
    return {
      async run() {
        const complaints = new Set<string>();
        await useApi(async (path, init = {}) => {
          const response = await fetch(url + path, { ...init, redirect: 'manual' });
          for (const complaint of complaintsIn(response)) complaints.add(complaint);
          await response.arrayBuffer();
          return response;
        }, sandbox.apiKey);
        return complaints;
      },
      async [Symbol.asyncDispose]() {
        proxy.kill();
        await proxy.exited;
      },
    };
  },
};

/** What Prism says about a response. What it says about a request is no fault of the service. */
function complaintsIn({ headers }: Response): string[] {
  const text = headers.get('sl-violations');
  if (text === null) return [];
  // A text instead of the list where it is too long for a header.
  if (!text.startsWith('[')) return [text];
  return (JSON.parse(text) as Violation[])
    .filter(({ location }) => location[0] === 'response')
    .map(({ location, code, message }) => `${location.join('.')} ${code} ${message}`);
}
