import { describe, expect, it } from 'bun:test';
import type { OpenapiDocument } from '../../src/docs/contract.ts';
import { renderDocs } from '../../src/docs/render.ts';
import { samplesOf } from '../support/docs/samples.ts';

const status = { type: 'string', enum: ['open', 'closed'] };
const headers = { 'X-Request-Id': { description: 'On every response.' } };
const problem = { code: 'not_found', message: 'No such shop.', status: 404 };

/** A document with nothing of ours but its form. */
const contract: OpenapiDocument = {
  info: { title: 'Shops', version: '2.0.0', summary: 'Open and close shops.' },
  servers: [
    { url: 'https://shops.example/api/v1', description: 'Production.' },
    { url: 'https://staging.shops.example/v1/', description: 'Staging.' },
    { url: 'http://127.0.0.1:8080', description: 'The default address.' },
    { url: '/', description: 'This host.' },
  ],
  paths: {
    '/v1/shops/{shopId}': {
      parameters: [{ name: 'shopId', in: 'path', required: true, schema: { type: 'integer' }, example: 7 }],
      get: {
        operationId: 'getShop',
        summary: 'Fetch a shop',
        responses: {
          '200': {
            description: 'The shop.',
            headers: { ...headers, ETag: { description: 'Names this version.' } },
            content: { 'application/json': { examples: { shop: { value: { id: 7, status: 'open' } } } } },
          },
          '404': {
            description: 'No shop.',
            headers,
            content: { 'application/json': { examples: { none: { summary: 'No shop', value: problem } } } },
          },
        },
      },
      patch: {
        operationId: 'updateShop',
        summary: 'Change a shop',
        'x-stability': 'experimental',
        parameters: [
          {
            name: 'petstore-stability',
            in: 'header',
            required: true,
            schema: { type: 'string' },
            example: 'experimental',
          },
          { name: 'If-Match', in: 'header', schema: { type: 'string' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                properties: {
                  status: { anyOf: [status, { type: 'null' }] },
                  expected: { type: 'object', properties: { status } },
                },
              },
              examples: { close: { value: { status: 'closed', note: "it's late" } } },
            },
          },
        },
        responses: { '204': { description: 'Changed.' } },
      },
    },
    '/health': { get: { operationId: 'getHealth', security: [], responses: {} } },
  },
};

const html = renderDocs(contract, {});
const [getShop, updateShop] = ['getShop', 'updateShop'].map((id) =>
  html.slice(html.indexOf(`id="${id}"`), html.indexOf('</section>', html.indexOf(`id="${id}"`))),
) as [string, string];

const codeOf = (section: string, language: string) =>
  samplesOf(section).find((sample) => sample.language === language)?.code;

describe('renderDocs', () => {
  it('shows the operations that need a key, and no others', () => {
    expect(html).toContain('<code>/v1/shops/{shopId}</code>');
    expect(html).not.toContain('getHealth');
  });

  it('puts experimental operations into a section of their own, with a badge', () => {
    expect(html.indexOf('id="getShop"')).toBeLessThan(html.indexOf('<section id="experimental">'));
    expect(html.indexOf('<section id="experimental">')).toBeLessThan(html.indexOf('id="updateShop"'));
    expect(updateShop).toContain('<a class="badge" href="#experimental">Experimental</a>');
    expect(getShop).not.toContain('class="badge"');
  });

  it('has no such section for a document without experimental operations', () => {
    const { get } = contract.paths['/v1/shops/{shopId}']!;
    const stable = renderDocs({ ...contract, paths: { '/v1/shops': { get: get! } } }, {});
    expect(stable).not.toContain('xperimental');
  });

  it('sends the stability header once, with experimental operations alone', () => {
    expect(codeOf(updateShop, 'curl')).toBe(`curl -X PATCH -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Petstore-Stability: experimental' \\
  -d '{"status":"closed","note":"it'\\''s late"}' \\
  https://shops.example/api/v1/shops/7`);
    expect(codeOf(updateShop, 'fetch')).toContain("    'Petstore-Stability': 'experimental',\n");
    expect(codeOf(updateShop, 'fetch')).toContain(
      String.raw`  body: JSON.stringify({ status: 'closed', note: 'it\'s late' }),`,
    );
    expect(updateShop).toContain(' data-experimental ');
    expect(updateShop).not.toContain('data-name="petstore-stability"');
    expect(getShop).not.toContain('Petstore-Stability');
    expect(getShop).not.toContain('data-experimental');
  });

  it('uses the first address of the document and never doubles /v1', () => {
    expect(codeOf(getShop, 'curl')).toEndWith(' \\\n  https://shops.example/api/v1/shops/7');
    expect(html).toContain(
      'data-base="https://staging.shops.example"><code>https://staging.shops.example/v1</code>',
    );
    expect(html).not.toContain('/v1/v1');
    expect(html).not.toContain('127.0.0.1');
  });

  it('falls back to fetch for an operation that the client does not know', () => {
    expect(codeOf(getShop, 'typescript')).toBe(codeOf(getShop, 'fetch'));
  });

  it('shows a response without a body as such', () => {
    expect(samplesOf(updateShop)[0]?.prints).toBe('');
    expect(updateShop).toContain('<code>No body</code>');
  });

  it('explains each header where it occurs, and those of every response once', () => {
    expect(getShop.match(/Names this version\./g)).toHaveLength(1);
    expect(getShop.match(/On every response\./g)).toHaveLength(1);
    expect(getShop.indexOf('Headers of every response')).toBeLessThan(getShop.indexOf('On every response.'));
  });

  it('links an error to its explanation', () => {
    expect(getShop).toContain('<a href="#error-not_found"><code>not_found</code></a> · No shop');
    expect(html).toContain('id="error-not_found"');
  });

  it('names the types of fields, also of nested ones and of alternatives', () => {
    expect(updateShop).toContain('<code>status</code> <span class="help">open | closed | null</span>');
    expect(updateShop).toContain('<code>expected.status</code> <span class="help">open | closed</span>');
  });

  it('gives every id once', () => {
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('warns that unknown parameters are ignored', () => {
    expect(html).toContain('<code>GET /v1/pets?name=Rex</code> does not search by name');
  });
});
