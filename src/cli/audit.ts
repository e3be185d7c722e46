import { appendFileSync } from 'node:fs';
import { OperatorError } from '../domain/error.ts';
import { createLog, type Log, type LogFields } from '../domain/log.ts';
import type { Audit } from '../server/options.ts';
import { parseDatabaseUrl, type StoreOptions } from '../stores.ts';
import { userNameOf } from '../system/user-name.ts';
import { visibleLines } from './terminal/text.ts';

/** For the help of the commands that are recorded. */
export const auditHelp = `
Each change is recorded, with the user, in the file that AUDIT_LOG names.
Without it, the line goes to standard error unless that is a terminal.`;

/**
 * Does something to a store and records it, whether it succeeds or not. If the file of `AUDIT_LOG` cannot be written,
 * nothing is done.
 */
export async function audited<Result>(
  action: string,
  databaseUrl: string,
  work: () => Result | Promise<Result>,
  /** What the line says about the result. */
  describe: (result: Result) => LogFields = () => ({}),
): Promise<Result> {
  checkAuditLog();
  const result = await Promise.try(work).catch((error: unknown) => {
    record(action, databaseUrl, { outcome: 'failed' });
    throw error;
  });
  record(action, databaseUrl, { outcome: process.exitCode ? 'stopped' : 'done', ...describe(result) });
  return result;
}

/** How commands open a store. Any of them may be the first of a new release, and migrates it. */
export function storeOptions(databaseUrl: string): StoreOptions {
  return {
    environment: process.env,
    onMigrated: (migration) => record('migrate', databaseUrl, { outcome: 'done', ...migration }),
  };
}

/** For what the service itself changes at its start. Without `AUDIT_LOG`, its log has the line. */
export function createServiceAudit(log: Log, databaseUrl: string): Audit {
  checkAuditLog();
  return (action, fields) => record(action, databaseUrl, { outcome: 'done', ...fields }, log);
}

function record(action: string, databaseUrl: string, fields: LogFields, fallback?: Log): void {
  const path = process.env['AUDIT_LOG'];
  const log =
    path || !fallback ? createLog({ level: 'info', write: (line) => append(path, line) }) : fallback;
  log.info('audit', { action, ...operator(), store: storeOf(databaseUrl), ...fields });
}

/** A person at a terminal has just typed the command; to a journal or a build's log, the line is news. */
function append(path: string | undefined, line: string): void {
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

/** The hosts and the database of an address that is well-formed. Any part of another may be a password. */
const publicPart = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*(?:\/[^/?#@]*)?)(?:\?[^#@]*)?$/;

/** An address without its user, password and parameters. */
export function storeOf(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) return location.path;
  return `postgres://${publicPart.exec(location.address)?.[1] ?? '…'}`;
}

/** Refuses an `AUDIT_LOG` that cannot be written, before anything is done. */
function checkAuditLog(): void {
  const path = process.env['AUDIT_LOG'];
  const code = path ? appendTo(path, '') : undefined;
  if (code === undefined) return;
  throw new OperatorError(
    `The file ${path} of AUDIT_LOG cannot be written (${code}), so nothing was done.`,
    'Check its path and permissions.',
  );
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
