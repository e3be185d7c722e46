import source from '../../openapi.yaml' with { type: 'text' };

export interface ContractOptions {
  /** The addresses of production and staging, each ending in `/v1`. */
  publicUrl?: string | undefined;
  stagingUrl?: string | undefined;
  /** Names the host of each request in the documents, even beyond loopback. Only for a service without a proxy. */
  namesHost?: boolean;
  /** True if the service has only the stable operations. */
  stableOnly?: boolean;
}

/** The parts of `openapi.yaml` that are changed here. */
export interface Contract {
  info: { summary: string; description: string };
  tags: { name: string }[];
  /** The operations of each path by method, and the `parameters` that they share. */
  paths: Record<string, Record<string, Operation | unknown[]>>;
  components: Record<string, Record<string, unknown>>;
}

interface Operation {
  operationId: string;
  tags: string[];
  'x-stability'?: string;
}

/** `openapi.yaml` with the URLs and operations of this service. Without a public URL, it names `ownUrl`. */
export function contractOf(
  { publicUrl, stagingUrl, stableOnly = false }: ContractOptions,
  ownUrl = '/v1',
): Contract {
  const contract = Bun.YAML.parse(source) as Contract;
  const servers = [
    publicUrl === undefined
      ? { url: ownUrl, description: 'The host that serves this document.' }
      : { url: publicUrl, description: 'Production' },
    ...(stagingUrl === undefined ? [] : [{ url: stagingUrl, description: 'Staging' }]),
  ];
  const document = { ...contract, servers };
  return stableOnly ? onlyStable(document) : document;
}

/**
 * The contract for tools limited to OpenAPI 3.0. Converts only the 3.1 features that `openapi.yaml` uses; a test checks
 * it.
 */
export function toOpenapi30(contract: Contract): unknown {
  const { summary, description, ...info } = contract.info;
  const whole = {
    ...contract,
    openapi: '3.0.3',
    info: { ...info, description: `${summary}\n\n${description}` },
  };
  return rewrite(whole, (node) => {
    const { $ref: reference, type, ...others } = node as Record<string, unknown>;
    if (reference !== undefined && Object.keys(others).length > 0)
      return { allOf: [{ $ref: reference }], ...others };
    if (!Array.isArray(type)) return node;
    return { type: type.find((name) => name !== 'null') as unknown, nullable: true, ...others };
  });
}

/** Removes the operations with a stability marker, the links to them, and the tags and components that only they use. */
function onlyStable(contract: Contract): Contract {
  const unstable = operationsOf(contract).filter((each) => 'x-stability' in each);
  const names = new Set<unknown>(unstable.map(({ operationId }) => operationId));
  const stable = rewrite(contract, (node) =>
    'operationId' in node && names.has(node.operationId) ? undefined : node,
  ) as Contract;
  const paths = Object.entries(stable.paths).filter(([, item]) => Object.values(item).some(isOperation));
  const operations = operationsOf(stable);
  const tags = stable.tags.filter(({ name }) =>
    operations.some((operation) => operation.tags.includes(name)),
  );
  return withoutUnused({ ...stable, tags, paths: Object.fromEntries(paths) });
}

function operationsOf({ paths }: Contract): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item).filter(isOperation));
}

function isOperation(part: Operation | unknown[]): part is Operation {
  return 'operationId' in part;
}

/** Removes unused components, then those that only the removed ones referred to. */
function withoutUnused(contract: Contract): Contract {
  const text = JSON.stringify(contract);
  const { securitySchemes = {}, ...others } = contract.components;
  const used = Object.entries(others).map(([kind, components]) => [
    kind,
    Object.fromEntries(
      Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
    ),
  ]);
  const smaller = { ...contract, components: { securitySchemes, ...(Object.fromEntries(used) as object) } };
  return JSON.stringify(smaller).length < text.length ? withoutUnused(smaller) : smaller;
}

/** Copies a document, replacing each object with the result of `change`; undefined removes it. */
function rewrite(document: unknown, change: (node: object) => unknown): unknown {
  const text = JSON.stringify(document, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? change(value) : value,
  );
  return JSON.parse(text);
}
