import { OperatorError } from '../domain/error.ts';
import type { Report } from '../system/progress.ts';

/** A completed migration of a store that held data. */
export interface Migration {
  from: number;
  to: number;
  /** The copy of the store before the migration, if one was made. */
  keptAs?: string;
}

/** How to migrate a store when it is opened. */
export interface MigrationOptions {
  /** False if the operator has a backup, or no room for a copy. */
  keepsOlder?: boolean | undefined;
  /** Called if there was no store and one was created. */
  onMade?: (() => void) | undefined;
  onMigrated?: ((migration: Migration) => void) | undefined;
  /** Shows the progress of steps that touch every pet. */
  report?: Report | undefined;
}

/** Announces how much there is to migrate. */
export function announceMigration(report: Report, from: number, to: number, petCount: number): void {
  const pets = `${petCount.toLocaleString('en')} pets`;
  report.step(`Bringing the schema from version ${from} to ${to}; the store holds ${pets}`);
}

/** The error for a store that a newer release has migrated. */
export function newerSchema(store: string, version: number, newest: number, release: string): OperatorError {
  return new OperatorError(
    `${store} has schema version ${version}, and petstore ${release} knows versions up to ${newest}.`,
    'Start the release that last used it, or a newer one. To stay with this one, restore the backup made before the ' +
      'upgrade.',
  );
}
