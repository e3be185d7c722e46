import { afterAll, describe, expect, it } from 'bun:test';
import { mutants } from '../../src/mutants/index.ts';
import { editNewPet, editPets } from '../../src/mutants/edit.ts';
import type { Fetch, MutantOperation, Wrap } from '../../src/mutants/mutant.ts';
import { addPets, post } from '../../../../test/support/http/calls.ts';
import { runKit } from '../../../../test/support/process/process.ts';
import { openService } from '../../../../test/support/http/service.ts';

const service = await openService();
await addPets(service.call, 5);
afterAll(() => service.close());

function requestOf(path: string, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${service.apiKey}`);
  return new Request(`http://localhost${path}`, { ...init, headers });
}

async function send(wrap: Wrap, path: string, init?: RequestInit): Promise<Response> {
  return wrap(service.app.fetch, service.apiKey)(requestOf(path, init));
}

describe('the mutants', () => {
  it('have unique numbers and names', () => {
    expect(new Set(mutants.map(({ number }) => number)).size).toBe(mutants.length);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it('are listed, each on its own line', async () => {
    const { stdout } = await runKit('sandbox', ['--list-mutants']);
    expect(stdout).toMatch(
      /^1 +limit-one-more +contract +A page has up to one pet more than limit allows\.\n/,
    );
    expect(stdout.match(/^\d+ /gm)).toHaveLength(mutants.length);
  });

  it('leave requests alone that are not operations', async () => {
    for (const { name, wrap } of mutants) {
      const response = await send(wrap, '/livez');
      expect(`${name} ${response.status}`).toBe(`${name} 200`);
    }
  });
});

describe('the operation of a mutant', () => {
  const requests: [MutantOperation, () => Request][] = [
    ['listPets', () => requestOf('/v1/pets?limit=3')],
    ['createPet', () => requestOf('/v1/pets', post('{"name":7}'))],
    ['getPet', () => requestOf('/v1/pets/3')],
  ];

  it.each(requests)('is the only one with the mistake: %s', async (operation, request) => {
    const seenBy = async (fetch: Fetch) => {
      const response = await fetch(request());
      const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
      return `${response.status} ${JSON.stringify(headers)} ${await response.text()}`;
    };
    const right = await seenBy(service.app.fetch);
    for (const mutant of mutants) {
      if (mutant.operation === operation || mutant.operation === 'all') continue;
      const seen = await seenBy(mutant.wrap(service.app.fetch, service.apiKey));
      expect(`${mutant.name} ${seen}`).toBe(`${mutant.name} ${right}`);
    }
  });

  it('is listed as JSON, with the section of the contract and without the code', async () => {
    const { stdout } = await runKit('sandbox', ['--list-mutants', '--json']);
    const listed = JSON.parse(stdout) as object[];
    expect(listed).toHaveLength(mutants.length);
    expect(listed[0]).toEqual({
      number: 1,
      name: 'limit-one-more',
      description: 'A page has up to one pet more than limit allows.',
      breaks: 'contract',
      operation: 'listPets',
      section: 'Limits',
    });
  });
});

describe('an edit', () => {
  it('changes pets and leaves errors and other digits alone', async () => {
    const created = await send(
      editPets(['createPet'], (pet) => ({ ...pet, name: 'Max' })),
      '/v1/pets',
      post('{"name":"Rex","categoryId":9007199254740993}'),
    );
    expect(await created.text()).toMatch(/"name":"Max","categoryId":9007199254740993\}$/);
    const wrap = editPets(['getPet'], () => ({}));
    expect((await send(wrap, '/v1/pets/-1')).status).toBe(404);
  });

  it('forwards a create byte for byte if nothing changes', async () => {
    const seen: string[] = [];
    const next: Fetch = async (request) => {
      seen.push(await request.text());
      return new Response();
    };
    const bodies = [
      '{ "name":"Rex", "categoryId":1e2 }',
      '[',
      '',
      '{"name":"Rex","categoryId":9007199254740993}',
    ];
    for (const body of bodies) await editNewPet((pet) => pet)(next, '')(requestOf('/v1/pets', post(body)));
    expect(seen).toEqual(bodies);
  });
});
