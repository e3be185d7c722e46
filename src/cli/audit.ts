import { closeSync, openSync, writeSync } from 'node:fs';
import { userInfo } from 'node:os';
import { OperatorError } from '../error.ts';
import { createLog, type LogFields } from '../log.ts';
import { parseDatabaseUrl } from '../stores.ts';
import { visibleLines } from './terminal/visible.ts';

/**
 * Does something to a store and appends a line about it to the file that `AUDIT_LOG` names, whether it succeeds or not.
 * A file that cannot be written stops it before it begins. Without the variable, nothing is recorded.
 */
export async function audited<Result>(
  action: string,
  databaseUrl: string,
  work: () => Result | Promise<Result>,
  /** What the line says about the result. */
  describe: (result: Result) => LogFields = () => ({}),
): Promise<Result> {
  const path = process.env['AUDIT_LOG'];
  if (!path) return work();
  using file = openFile(path);
  const log = createLog({ level: 'info', write: (line) => file.write(visibleLines(line)) });
  const who = { action, ...operator(), store: storeOf(databaseUrl) };
  const result = await Promise.try(work).catch((error: unknown) => {
    log.info('audit', { ...who, outcome: 'failed' });
    throw error;
  });
  log.info('audit', { ...who, outcome: process.exitCode ? 'stopped' : 'done', ...describe(result) });
  return result;
}

/** The user of the operating system, and who became it by sudo. */
function operator(): LogFields {
  return { user: userName(), uid: process.getuid?.(), sudoUser: process.env['SUDO_USER'] };
}

/** A container may run as a number that has no name. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** An address without its user, password and parameters. */
export function storeOf(databaseUrl: string): string {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) return location.path;
  return location.address.replace(/\?.*$/, '').replace(/\/\/.*@/, '//');
}

function openFile(path: string) {
  try {
    const file = openSync(path, 'a', 0o600);
    return {
      write: (line: string) => writeLine(file, path, line),
      [Symbol.dispose]: () => closeSync(file),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `The file ${path} of AUDIT_LOG cannot be written (${code}), so nothing was done.`,
      'Check its path and permissions.',
    );
  }
}

/** The change is made by now, and its result must still be shown. */
function writeLine(file: number, path: string, line: string): void {
  try {
    writeSync(file, line);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    process.stderr.write(`petstore: The file ${path} of AUDIT_LOG could not be written (${code}).\n`);
  }
}
