import { join } from 'node:path';
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
    const url = await addressIn(proxy.stdout);
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

/** Reads all output to its end: Prism writes a line for each request, and ends when nobody reads them. */
function addressIn(output: ReadableStream<Uint8Array>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async (): Promise<void> => {
    let start = '';
    const decoder = new TextDecoder();
    for await (const chunk of output) {
      if (start.length < 100_000) start += decoder.decode(chunk, { stream: true });
      const [, address] = /Prism is listening on (http:\/\/[\w.:]+)/.exec(start) ?? [];
      if (address !== undefined) resolve(address);
    }
    reject(new Error(`Prism ended: ${start}`));
  };
  read().catch(reject);
  return promise;
}
