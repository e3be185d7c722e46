import { redactKeys } from './api-key.ts';

export const logLevels = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof logLevels)[number];
export type LogFields = Record<string, string | number | boolean | undefined>;

export type Log = Record<LogLevel, (message: string, fields?: LogFields) => void>;

export interface LogOptions {
  level: LogLevel;
  /** `json` for machines, `text` for a terminal. */
  format: 'json' | 'text';
  write: (line: string) => void;
  now?: () => Date;
}

export function createLog({ level, format, write, now = () => new Date() }: LogOptions): Log {
  const render = format === 'json' ? renderJson : renderText;
  const loggerOf =
    (lineLevel: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (logLevels.indexOf(lineLevel) > logLevels.indexOf(level)) return;
      write(`${redactKeys(render(now(), lineLevel, message, fields))}\n`);
    };
  return { error: loggerOf('error'), warn: loggerOf('warn'), info: loggerOf('info') };
}

/** An error with its stack and its causes, for the log. Callers of the API never see it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${describeError(error.cause)}`;
  return `${error.stack || String(error)}${cause}`;
}

function renderJson(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  return JSON.stringify({ time: time.toISOString(), level, message, ...fields });
}

function renderText(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${value}`)
    .join('');
  return `${time.toTimeString().slice(0, 8)} ${level.padEnd(5)} ${message}${details}`;
}
