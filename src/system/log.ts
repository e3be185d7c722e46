import { redactKeys } from '../domain/api-key.ts';

export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Record<string, string | number | boolean | undefined>;

export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;

export interface LogOptions {
  level: LogLevel;
  /** Renders JSON by default. */
  render?: typeof renderJson;
  write: (line: string) => void;
  now?: () => Date;
}

export function createLog({ level, render = renderJson, write, now = () => new Date() }: LogOptions): Log {
  const loggerOf =
    (lineLevel: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (logLevels.indexOf(lineLevel) > logLevels.indexOf(level)) return;
      write(`${redactKeys(render(now(), lineLevel, message, fields))}\n`);
    };
  return {
    error: loggerOf('error'),
    warn: loggerOf('warn'),
    info: loggerOf('info'),
    debug: loggerOf('debug'),
  };
}

/** An error with its stack and causes, for the log. Callers of the API never see it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${describeError(error.cause)}`;
  return `${error.stack || String(error)}${cause}`;
}

/** The message of an error's innermost cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

function renderJson(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time: time.toISOString(), level, message, ...fields });
}
