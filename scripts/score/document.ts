import { join } from 'node:path';
import { sandboxDefaults } from '../../packages/testkit/src/sandbox/sandbox.ts';
import { contractOf } from '../../src/http/web/contract.ts';

interface Parameter {
  name: string;
  in: string;
  schema: object;
}

interface Shared {
  parameters?: { $ref: string }[];
}

type PathItem = Shared & Record<string, Shared>;

/**
 * What testers read: the stable operations of `openapi.yaml`, each with its own parameters, because not every tester knows
 * those of a path.
 */
export function testedDocument(url: string): ReturnType<typeof contractOf> {
  const contract = contractOf({ publicUrl: `${url}/v1`, isStableOnly: true });
  const known = contract.components['parameters'] as Record<string, Parameter>;
  const resolve = ({ $ref }: { $ref: string }): Parameter[] => {
    const parameter = known[$ref.replace('#/components/parameters/', '')];
    return parameter && isKept(parameter) ? [withRange(parameter)] : [];
  };
  const paths = Object.entries(contract.paths as unknown as Record<string, PathItem>).map(
    ([path, { parameters: shared = [], ...operations }]) => {
      const own = Object.entries(operations).map(([method, operation]) => {
        const parameters = [...shared, ...(operation.parameters ?? [])].flatMap(resolve);
        return [method, { ...operation, parameters }];
      });
      return [path, Object.fromEntries(own) as object];
    },
  );
  return { ...contract, paths: Object.fromEntries(paths) as typeof contract.paths };
}

/** Testers make up cursors, conditions and keys, all optional, and then see nothing but the refusal. */
function isKept(parameter: Parameter): boolean {
  return parameter.in !== 'header' && parameter.name !== 'cursor';
}

/** Ids of pets that the sandbox has, for testers that make one up. */
function withRange(parameter: Parameter): Parameter {
  if (parameter.name !== 'petId') return parameter;
  return { ...parameter, schema: { ...parameter.schema, minimum: 1, maximum: sandboxDefaults.count } };
}

export async function writeDocument(folder: string, url: string): Promise<string> {
  const file = join(folder, 'openapi.json');
  await Bun.write(file, JSON.stringify(testedDocument(url)));
  return file;
}
