import overlaySource from '../../../openapi.experimental.yaml' with { type: 'text' };
import contractSource from '../../../openapi.yaml' with { type: 'text' };

// The compiler takes them for modules.
const v1Source = contractSource as unknown as string;
const additionSource = overlaySource as unknown as string;

export interface Addresses {
  /** The addresses of production and staging, each ending in `/v1`. */
  publicUrl?: string | undefined;
  stagingUrl?: string | undefined;
}

/** The contract of v1 as YAML. The configured addresses come first among its servers. */
export function contractYaml({ publicUrl, stagingUrl }: Addresses): string {
  const servers = [serverEntry('Production', publicUrl), serverEntry('Staging', stagingUrl)].join('');
  return v1Source.replace('\nservers:\n', (start) => start + servers);
}

/** The contract with the experimental operations: v1's, and what `openapi.experimental.yaml` adds. */
export function experimentalContract(v1Yaml: string): unknown {
  return addTo(Bun.YAML.parse(v1Yaml), Bun.YAML.parse(additionSource), '');
}

/** The paths of the contract begin with `/v1`, so its servers end before it. */
function serverEntry(description: string, url: string | undefined): string {
  if (url === undefined) return '';
  return `  - url: ${JSON.stringify(url.replace(/\/v1$/, ''))}\n    description: ${description}\n`;
}

/** Adds fields to objects and items to lists. It refuses to replace anything, so the result is always a superset. */
function addTo(contract: unknown, addition: unknown, where: string): unknown {
  if (contract === undefined) return addition;
  if (Array.isArray(contract) && Array.isArray(addition)) return [...contract, ...addition] as unknown[];
  if (!isObject(contract) || !isObject(addition)) {
    throw new Error(`openapi.experimental.yaml would replace ${where} of openapi.yaml.`);
  }
  const added = Object.entries(addition).map(([name, value]) => [
    name,
    addTo(contract[name], value, `${where}/${name}`),
  ]);
  return { ...contract, ...(Object.fromEntries(added) as object) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
