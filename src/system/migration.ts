import { OperatorError } from '../domain/error.ts';
import type { Report } from './progress.ts';

/** A store that held data was brought up to date. */
export interface Migration {
  from: number;
  to: number;
  /** The copy of the store as it was; absent where none was made. */
  keptAs?: string;
}

/** What to do about a migration when a store is opened. */
export interface MigrationOptions {
  /** False if the operator has made a backup, or has no room for a copy. */
  keepsOlder?: boolean | undefined;
  /** Called when there was no store, and one was made. */
  onMade?: (() => void) | undefined;
  onMigrated?: ((migration: Migration) => void) | undefined;
  /** Shows how far a step has come that touches every pet. */
  report?: Report | undefined;
}

/** Says before a migration how much there is to do. */
export function announceMigration(report: Report, from: number, to: number, petCount: number): void {
  const pets = `${petCount.toLocaleString('en')} pets`;
  report.step(`Bringing the schema from version ${from} to ${to}; the store holds ${pets}`);
}

/** A store that a newer release has changed. */
export function newerSchema(store: string, version: number, newest: number, release: string): OperatorError {
  return new OperatorError(
    `${store} has schema version ${version}, and petstore ${release} knows versions up to ${newest}.`,
    'Start the release that last used it, or a newer one. To stay with this one, restore the backup made before the ' +
      'upgrade.',
  );
}

/** Made by an unreleased state of 2.0.0. */
const unreleasedVersion = 6;

export function refuseUnreleased(store: string, version: number): void {
  if (version !== unreleasedVersion) return;
  throw new OperatorError(
    `${store} has schema version ${version}, which no release has ever had.`,
    'Restore the backup made before it was opened with an unreleased petstore 2.0.0.',
  );
}
