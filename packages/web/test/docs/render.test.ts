import { describe, expect, it } from 'bun:test';
import { dereference, operationsOf, schemaOf, type OpenapiDocument } from '../../src/docs/contract.ts';
import { renderText } from '../../src/docs/markup.ts';
import { fieldsOf } from '../../src/docs/reference.ts';
import { renderDocs } from '../../src/docs/render.ts';
import { statusOfCode } from '../../../../src/domain/error.ts';
import { contractOf } from '../../../../src/http/contract.ts';
import { samplesOf } from '../../../../test/support/docs/samples.ts';

const status = { type: 'string', enum: ['open', 'closed'] };
const headers = { 'X-Request-Id': { description: 'On every response.' } };
const problem = { code: 'not_found', message: 'No such shop.', status: 404 };

/** A document with nothing of ours but its form. */
const contract: OpenapiDocument = {
  info: {
    title: 'Shops',
    version: '2.0.0',
    summary: 'Open and close shops.',
    description: '**Hours.** Shops close at `18:00`.',
  },
  servers: [
    { url: 'https://shops.example/api/v1' },
    { url: 'https://staging.shops.example/v1' },
    { url: '/v1' },
  ],
  paths: {
    '/shops/{shopId}': {
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
        parameters: [{ name: 'If-Match', in: 'header', schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                properties: {
                  status: { type: ['string', 'null'], enum: ['open', 'closed', null] },
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
  },
};

const html = renderDocs(contract, statusOfCode, {});
const [getShop, updateShop] = ['getShop', 'updateShop'].map((id) =>
  html.slice(html.indexOf(`id="${id}"`), html.indexOf('</section>', html.indexOf(`id="${id}"`))),
) as [string, string];

const codeOf = (section: string, language: string) =>
  samplesOf(section).find((sample) => sample.language === language)?.code;

describe('renderDocs', () => {
  it('shows each operation with its whole path', () => {
    expect(html).toContain('<code>/v1/shops/{shopId}</code>');
    expect(codeOf(updateShop, 'curl')).toBe(`curl -X PATCH -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"status":"closed","note":"it'\\''s late"}' \\
  https://shops.example/api/v1/shops/7`);
    expect(updateShop).toContain('data-path="/v1/shops/{shopId}"');
  });

  it('marks operations that are not stable, and says what that means', () => {
    expect(html).toContain('<p id="stability">');
    expect(updateShop).toContain('<a class="badge" href="#stability">Experimental</a>');
    expect(getShop).not.toContain('class="badge"');
  });

  it('shows the statuses that a default response stands for', () => {
    const { get } = contract.paths['/shops/{shopId}']!;
    const { '404': missing, ...others } = get!.responses;
    const operation = { ...get!, responses: { ...others, default: missing! } };
    const shown = renderDocs({ ...contract, paths: { '/shops': { get: operation } } }, statusOfCode, {});
    expect(shown).toContain('<span class="code c4">404</span> <span>No shop.</span>');
    expect(shown).not.toContain('>default<');
  });

  it("shows the contract's description of every field of a response", () => {
    const ours = dereference(contractOf({})) as OpenapiDocument;
    const shown = renderDocs(ours, statusOfCode, {});
    const successes = operationsOf(ours)
      .flatMap(({ responses }) => Object.entries(responses))
      .filter(([code]) => code.startsWith('2'));
    const described = successes
      .flatMap(([, { content }]) => fieldsOf(schemaOf(content)))
      .flatMap(({ description }) => (description ? [renderText(description)] : []));
    expect(new Set(described).size).toBeGreaterThan(12);
    expect(described.filter((text) => !shown.includes(text))).toEqual([]);
  });

  it('names the search by id as the replacement of getPet, if the service has it', () => {
    const path = '/v1/pets/search?id=1';
    expect(renderDocs(contractOf({}), statusOfCode, {})).toContain(path);
    expect(renderDocs(contractOf({ stableOnly: true }), statusOfCode, {})).not.toContain('/v1/pets/search');
  });

  it('uses the first address of the document and never doubles /v1', () => {
    expect(codeOf(getShop, 'curl')).toEndWith(' \\\n  https://shops.example/api/v1/shops/7');
    expect(html).not.toContain('/v1/v1');
    expect(html).not.toContain('127.0.0.1');
  });

  it('links an error to its explanation', () => {
    expect(getShop).toContain('<a href="#error-not_found"><code>not_found</code></a> · No shop');
    expect(html).toContain('id="error-not_found"');
  });

  it('uses every id once', () => {
    const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});
