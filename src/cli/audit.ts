import { appendFileSync } from 'node:fs';
import { createLog, type Log, type LogFields } from '../system/log.ts';
import type { Audit } from '../server/options.ts';
import { storeAt, type StoreOptions } from '../stores.ts';
import { systemReason } from '../system/files.ts';
import { warn } from './terminal/output.ts';
import { reportOnTerminal } from './terminal/progress.ts';
import { visible, visibleLines } from './terminal/text.ts';

/** For the help of the commands that are recorded. */
export const auditHelp = `
Each change is recorded, with the user's id, in the file that AUDIT_LOG names;
without it, on standard error unless that is a terminal.`;

/** Does something to a store and records it, whether it succeeds or not. */
export async function audited<Result>(
  action: string,
  databaseUrl: string,
  /** What it is done to. */
  subject: LogFields,
  work: () => Result | Promise<Result>,
  /** What the line says about the result. */
  describe: (result: Result) => LogFields = () => ({}),
): Promise<Result> {
  const result = await Promise.try(work).catch((error: unknown) => {
    record(action, databaseUrl, { outcome: 'failed', ...subject });
    throw error;
  });
  const outcome = process.exitCode ? 'stopped' : 'done';
  record(action, databaseUrl, { outcome, ...subject, ...describe(result) });
  return result;
}

/** How commands open a store. Any of them may be the first of a new release, and migrates it. */
export function storeOptions(databaseUrl: string): StoreOptions {
  return {
    environment: process.env,
    onMade: () => process.stderr.write(`Made a new store at ${visible(storeAt(databaseUrl).name)}.\n`),
    onMigrated: (migration) => record('migrate', databaseUrl, { outcome: 'done', ...migration }),
    report: reportOnTerminal(),
  };
}

/** For what the service itself changes at its start. Without `AUDIT_LOG`, its log has the line. */
export function createServiceAudit(log: Log, databaseUrl: string): Audit {
  const fallback = process.env['AUDIT_LOG'] ? undefined : log;
  return (action, fields) => record(action, databaseUrl, { outcome: 'done', ...fields }, fallback);
}

/** `sudoUser` is who became this user by sudo. */
function record(
  action: string,
  databaseUrl: string,
  fields: LogFields,
  log = createLog({ level: 'info', write: append }),
): void {
  const operator = { uid: process.getuid?.(), sudoUser: process.env['SUDO_USER'] };
  log.info('audit', { action, ...operator, store: storeAt(databaseUrl).name, ...fields });
}

/** A person at a terminal has just typed the command; to a journal or a build's log, the line is news. */
function append(line: string): void {
  const path = process.env['AUDIT_LOG'];
  const text = visibleLines(line);
  if (!path) {
    if (!process.stderr.isTTY) process.stderr.write(text);
    return;
  }
  try {
    // Opened each time, so that it may be rotated.
    appendFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    // The change is made by now. The line must not be lost.
    warn(
      `The file ${path} of AUDIT_LOG cannot be written: ${systemReason(error)}. It should have this line:`,
    );
    process.stderr.write(text);
  }
}
