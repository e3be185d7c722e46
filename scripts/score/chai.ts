import { createRequire } from 'node:module';
import { join } from 'node:path';
import { toOpenapi30 } from '../../src/http/web/contract.ts';
import { testedDocument } from './document.ts';
import { useApi } from './session.ts';
import type { Tester } from './tester.ts';

interface Chai {
  use(plugin: unknown): void;
  expect(response: object): { to: { satisfyApiSpec: unknown } };
  AssertionError: new () => Error;
}

export const chaiPlugin: Tester = {
  name: 'chai-openapi-response-validator',
  packages: { 'chai-openapi-response-validator': '0.14.2', chai: '4.5.0' },
  method: 'validates each response in the session that Prism sees, against OpenAPI 3.0.',
  async open({ folder, sandbox }) {
    const require = createRequire(join(folder, 'package.json'));
    const chai = require('chai') as Chai;
    const plugin = require('chai-openapi-response-validator') as { default(document: unknown): unknown };
    chai.use(plugin.default(toOpenapi30(testedDocument(sandbox.url))));
    return {
      async run() {
        const complaints: string[] = [];
        await useApi(async (path, init = {}) => {
          const response = await fetch(`${sandbox.url}/v1${path}`, { ...init, redirect: 'manual' });
          const { status, headers } = response;
          const { method = 'GET' } = init;
          const text = await response.text();
          const req = { method, path: `/v1${path}` };
          try {
            void chai.expect({ status, headers, text, body: jsonOf(text), req }).to.satisfyApiSpec;
          } catch (error) {
            if (!(error instanceof chai.AssertionError)) throw error;
            complaints.push(`${path} ${JSON.stringify(init)}`);
          }
          return response;
        }, sandbox.apiKey);
        return complaints;
      },
      async [Symbol.asyncDispose]() {},
    };
  },
};

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
