type Node = Record<string, unknown>;

/** The contract as it is once its deprecated operations are removed, with nothing left that only they used. */
export function withoutDeprecated(contract: unknown): unknown {
  const { paths, components, ...rest } = contract as { paths: Record<string, Node>; components: Components };
  const remaining = Object.entries(paths).flatMap(([path, item]) => {
    const operations = Object.entries(item).filter(([, operation]) => !isDeprecated(operation));
    // A path whose operations are gone has no methods to ask for either.
    const isServed = operations.some(([name]) => methods.has(name));
    return isServed ? [[path, Object.fromEntries(operations)]] : [];
  });
  const kept = { ...rest, paths: Object.fromEntries(remaining) as unknown };
  return { ...kept, components: usedComponents(kept, components) };
}

type Components = Record<string, Record<string, unknown>>;

const methods = new Set(['get', 'post', 'put', 'patch', 'delete']);

function isDeprecated(operation: unknown): boolean {
  return (operation as { deprecated?: boolean } | null)?.deprecated === true;
}

/** The components that a document refers to, and those that these refer to. Security schemes are named without a reference. */
function usedComponents(document: unknown, { securitySchemes = {}, ...all }: Components): Components {
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      if (name !== '$ref' || typeof value !== 'string') visit(value);
      else if (!used.has(value)) {
        used.add(value);
        const [, , kind = '', component = ''] = value.split('/').slice(0, 4);
        visit(all[kind]?.[component]);
      }
    }
  };
  visit(document);
  const keptOf = (kind: string, group: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(group).filter(([name]) => used.has(`#/components/${kind}/${name}`)));
  return {
    securitySchemes,
    ...Object.fromEntries(Object.entries(all).map(([kind, group]) => [kind, keptOf(kind, group)])),
  };
}
