import { appendFileSync } from 'node:fs';
import { OperatorError } from '../domain/error.ts';
import { createLog, type Log, type LogFields } from '../domain/log.ts';
import type { Audit } from '../server/options.ts';
import { storeOf, type StoreOptions } from '../stores.ts';
import { userNameOf } from '../system/user-name.ts';
import { reportOnTerminal } from './terminal/progress.ts';
import { visible, visibleLines } from './terminal/text.ts';

/** For the help of the commands that are recorded. */
export const auditHelp = `
Each change is recorded, with the user, in the file that AUDIT_LOG names,
before it begins and after it ends. Without that file, only the second line is
written: to standard error unless that is a terminal.`;

/**
 * Does something to a store and records it, whether it succeeds or not. The file of `AUDIT_LOG` gets a line before as
 * well: if that cannot be written, nothing is done.
 */
export async function audited<Result>(
  action: string,
  databaseUrl: string,
  /** What it is done to. */
  subject: LogFields,
  work: () => Result | Promise<Result>,
  /** What the line says about the result. */
  describe: (result: Result) => LogFields = () => ({}),
): Promise<Result> {
  recordIntent(action, databaseUrl, subject);
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
    onMade: () => process.stderr.write(`Made a new store at ${visible(storeOf(databaseUrl))}.\n`),
    onMigrated: (migration) => record('migrate', databaseUrl, { outcome: 'done', ...migration }),
    report: reportOnTerminal(),
  };
}

/** For what the service itself changes at its start. Without `AUDIT_LOG`, its log has the line. */
export function createServiceAudit(log: Log, databaseUrl: string): Audit {
  recordIntent('serve', databaseUrl);
  const fallback = process.env['AUDIT_LOG'] ? undefined : log;
  return (action, fields) => record(action, databaseUrl, { outcome: 'done', ...fields }, fallback);
}

/** Refuses to go on if the file of `AUDIT_LOG` cannot be written. */
function recordIntent(action: string, databaseUrl: string, subject: LogFields = {}): void {
  const path = process.env['AUDIT_LOG'];
  if (!path) return;
  const write = (line: string): void => {
    const code = appendTo(path, visibleLines(line));
    if (code === undefined) return;
    throw new OperatorError(
      `The file ${path} of AUDIT_LOG cannot be written (${code}), so nothing was done.`,
      'Check its path, its permissions and the free space.',
    );
  };
  record(action, databaseUrl, { outcome: 'begun', ...subject }, createLog({ level: 'info', write }));
}

function record(
  action: string,
  databaseUrl: string,
  fields: LogFields,
  log = createLog({ level: 'info', write: append }),
): void {
  log.info('audit', { action, ...operator(), store: storeOf(databaseUrl), ...fields });
}

/** A person at a terminal has just typed the command; to a journal or a build's log, the line is news. */
function append(line: string): void {
  const path = process.env['AUDIT_LOG'];
  const text = visibleLines(line);
  if (!path) {
    if (!process.stderr.isTTY) process.stderr.write(text);
    return;
  }
  // The change is made by now, so a failure is only told.
  const code = appendTo(path, text);
  if (code !== undefined) {
    process.stderr.write(`petstore: The file ${path} of AUDIT_LOG could not be written (${code}).\n`);
  }
}

/** The user of the operating system, and who became it by sudo. */
function operator(): LogFields {
  const uid = process.getuid?.();
  return { user: uid === undefined ? undefined : userNameOf(uid), uid, sudoUser: process.env['SUDO_USER'] };
}

/** Returns the code of a failure. The file is opened each time, so that it may be rotated. */
function appendTo(path: string, text: string): string | undefined {
  try {
    appendFileSync(path, text, { mode: 0o600 });
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code ?? message;
  }
}
