/** Writes `.env.example` from the table of settings. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderEnvExample } from '../src/cli/settings.ts';

writeFileSync(join(import.meta.dir, '../.env.example'), renderEnvExample());
