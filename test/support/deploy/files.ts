import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const deployFolder = join(import.meta.dir, '../../../deploy');

export function readDeployFile(path: string): string {
  return readFileSync(join(deployFolder, path), 'utf8');
}

export function readYaml(path: string): unknown {
  return Bun.YAML.parse(readDeployFile(path));
}

/** Variables of other programs that ours read, too: of PostgreSQL's tools, of S3 clients, and for temporary files. */
export const foreignVariable = /^(?:PG[A-Z]+|S3_[A-Z_]+|TMPDIR|HOME|PATH)$/;

/** After `STOP_DELAY`, the service takes this long at most to finish what is under way. */
export const longestStopSeconds = 20;
