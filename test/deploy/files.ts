import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const deployFolder = join(import.meta.dir, '../../deploy');

export function readDeployFile(path: string): string {
  return readFileSync(join(deployFolder, path), 'utf8');
}

export function readYaml(path: string): unknown {
  return Bun.YAML.parse(readDeployFile(path));
}
