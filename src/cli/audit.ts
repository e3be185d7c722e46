import { appendFileSync } from 'node:fs';
import { createLog, type Log, type LogFields } from '../system/log.ts';
import type { Audit } from '../server/options.ts';
import { storeAt, type StoreOptions } from '../stores/open.ts';
import { systemReason } from '../system/files.ts';
import { report, visibleLines, warn } from './terminal/output.ts';

/** For the help of the audited commands. */
export const auditHelp = `
Each change is recorded, with the user's id, in the file that AUDIT_LOG names;
without it, on standard error unless that is a terminal.`;

/** Runs an action on a store and records it, whether it succeeds or not. */
export async function audited<Result>(
  action: string,
  databaseUrl: string,
  /** What is known beforehand. */
  fields: LogFields,
  /** `note` adds what becomes known. It is recorded even if the action fails later. */
  work: (note: (more: LogFields) => void) => Result | Promise<Result>,
): Promise<Result> {
  let known = fields;
  let outcome = 'failed';
  try {
    const result = await work((more) => {
      known = { ...known, ...more };
    });
    outcome = 'done';
    return result;
  } finally {
    record(action, databaseUrl, { outcome, ...known });
  }
}

/** How commands open a store, which any of them may make. */
export function storeOptions(databaseUrl: string): StoreOptions {
  return {
    environment: process.env,
    onMade: () => report(`Made a new store at ${storeAt(databaseUrl).name}.`),
  };
}

/** For changes that the service itself makes at its start. Without `AUDIT_LOG`, they go to its log. */
export function createServiceAudit(log: Log, databaseUrl: string): Audit {
  const fallback = process.env['AUDIT_LOG'] ? undefined : log;
  return (action, fields) => record(action, databaseUrl, { outcome: 'done', ...fields }, fallback);
}

/** `sudoUser` is the user who called sudo. */
function record(
  action: string,
  databaseUrl: string,
  fields: LogFields,
  log = createLog({ level: 'info', write: append }),
): void {
  const operator = { uid: process.getuid?.(), sudoUser: process.env['SUDO_USER'] };
  log.info('audit', { action, ...operator, store: storeAt(databaseUrl).name, ...fields });
}

/** Without AUDIT_LOG, a terminal gets no line: it would only repeat the command that was just typed. */
function append(line: string): void {
  const path = process.env['AUDIT_LOG'];
  const text = visibleLines(line);
  if (!path) {
    if (!process.stderr.isTTY) process.stderr.write(text);
    return;
  }
  try {
    // Open it each time, so that it can be rotated.
    appendFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    // The change is already made, so the line must not be lost.
    warn(
      `The file ${path} of AUDIT_LOG cannot be written: ${systemReason(error)}. It should have this line:`,
    );
    process.stderr.write(text);
  }
}
