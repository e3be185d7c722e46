import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const deployFolder = join(import.meta.dir, '../../../deploy');

export function readDeployFile(path: string): string {
  return readFileSync(join(deployFolder, path), 'utf8');
}

/** Parses a YAML file of `deploy/`. Whoever reads it says what it looks like, and fails where it does not. */
export function readYaml<Content>(path: string): Content {
  return Bun.YAML.parse(readDeployFile(path)) as Content;
}

/** Variables of other programs that ours read, too: of PostgreSQL's tools, of S3 clients, and for temporary files. */
export const foreignVariable = /^(?:PG[A-Z]+|S3_[A-Z_]+|TMPDIR|HOME|PATH)$/;
