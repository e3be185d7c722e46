import { randomFrom } from '../../test/support/random.ts';
import type { Service } from '../../test/support/process/process.ts';
import { againstBroken } from '../support/against-broken.ts';
import { jsonCases, namesOfPlane, type JsonCase } from './json-cases.ts';
import { serve } from '../support/serve.ts';
import type { Run, TortureTest } from '../support/torture-test.ts';

const planes = 17;
const namesPerPlane = 20;

/** A round sends every case of the grammar and a handful of names out of every plane of Unicode. */
const run: Run = async ({ rounds, seed, report, broken }) => {
  const random = randomFrom(seed);
  const faults = new Set<string>();
  let sent = 0;
  await using service = await serve({ broken });
  for (let done = 1; done <= rounds; done++) {
    const unicode = Array.from({ length: planes }, (_, plane) =>
      namesOfPlane(plane, namesPerPlane, random),
    ).flat();
    const names = unicode.map((name): JsonCase => ({
      name: `the name ${JSON.stringify(name)}`,
      body: JSON.stringify({ name, categoryId: 1 }),
      expected: { name, categoryId: '1' },
    }));
    for (const sentCase of [...jsonCases, ...names]) {
      const fault = await faultOf(service, sentCase);
      if (fault !== undefined) faults.add(`${sentCase.name}: ${fault}`);
      sent += 1;
    }
    report(`${sent} bodies, ${faults.size} faults`);
  }
  return {
    figures: {
      'cases of the grammar': jsonCases.length,
      'planes of Unicode': planes,
      bodies: sent,
      'wrong responses': faults.size,
    },
    faults: [...faults],
  };
};

/** What is stored is compared as it is read back, digit by digit. */
async function faultOf(service: Service, { body, expected }: JsonCase): Promise<string | undefined> {
  const response = await service.call('/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (expected === 'either')
    return response.status === 201 || response.status === 400 ? undefined : `got ${response.status}`;
  if (typeof expected === 'string') {
    const { code } = JSON.parse(text) as { code?: string };
    return code === expected
      ? undefined
      : `expected ${expected}, got ${response.status} ${text.slice(0, 200)}`;
  }
  if (response.status !== 201) return `expected 201, got ${response.status} ${text.slice(0, 200)}`;
  const stored = await (await service.call(response.headers.get('Location') ?? '')).text();
  const { name } = JSON.parse(stored) as { name: string };
  const [, categoryId] = /"categoryId":(-?\d+)[,}]/.exec(stored) ?? [];
  if (name !== expected.name || categoryId !== expected.categoryId)
    return `stored as ${stored.slice(0, 200)}`;
  return undefined;
}

export const hostileJson: TortureTest = {
  name: 'hostile-json',
  description:
    'valid and invalid JSON, Unicode of every plane, deep nesting, huge numbers, __proto__ keys, broken UTF-8',
  passesWhen: 'every body is refused or stored exactly',
  rounds: 20,
  unit: 'rounds of all cases',
  run,
  control: {
    description: 'integers pass through a double',
    rounds: 1,
    run: againstBroken(run, 'rounded-integers'),
  },
};
