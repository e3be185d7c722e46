import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../scripts/command.ts';
import { readDeployFile } from './files.ts';

/**
 * Writes the HAProxy configuration for replicas, with the two servers that docs/scale.md puts in the place of its own,
 * for this machine. Returns the command that runs it.
 */
export function haproxyFor(folder: string, ownPort: number, [first, second]: [number, number]): string[] {
  const scale = readFileSync(join(project, 'docs/scale.md'), 'utf8');
  const servers = [...scale.matchAll(/^ +server petstore-808\d .*\n/gm)].map(([line]) => line).join('');
  const text = readDeployFile('haproxy/haproxy.cfg')
    .replace('bind :80', `bind 127.0.0.1:${ownPort}`)
    .replace(/^( +server replica-\d .*\n)+/m, servers)
    .replaceAll('8081', String(first))
    .replaceAll('8082', String(second));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, text);
  return ['haproxy', '-db', '-f', file];
}
