import { Database } from 'bun:sqlite';
import type { Report } from '../../progress.ts';
import { refuseDamagedPets } from '../opening/check-pets.ts';
import { damaged, explain } from '../errors.ts';
import { checkOwnership } from '../migrate.ts';

/** What a verified copy holds. */
export interface CopySummary {
  petCount: number;
}

/** Reads a copy whole: nothing less proves that it is one. Damage is that of `origin`, from which it was made. */
export function verifyCopy(file: string, origin: string, report: Report): CopySummary {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true });
    checkOwnership(database, origin);
    report.step('Checking the copy');
    const [found] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all();
    if (found?.integrity_check !== 'ok') throw damaged(origin);
    return { petCount: refuseDamagedPets(database, origin, report) };
  } catch (error) {
    throw explain(error, origin);
  } finally {
    database?.close();
  }
}
