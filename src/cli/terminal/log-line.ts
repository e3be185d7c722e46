import { styleText } from 'node:util';
import type { LogFields, LogLevel } from '../../system/log.ts';
import { visible, visibleLines } from './text.ts';

const colours = { error: 'red', warn: 'yellow', info: 'green', debug: 'blue' } as const;

/** A log line for a person at a terminal: first what happened, then details, ids and an error's stack. */
export function renderLogLine(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const { requestId, traceId, error, ...others } = fields;
  const parts = [
    level === 'info' ? '' : styleText(colours[level], level),
    ...(fields['method'] === undefined
      ? [visibleLines(message), ...detailsOf(others)]
      : requestOf(message, others)),
    ...detailsOf({ traceId, requestId }).map((detail) => styleText('dim', detail)),
    error === undefined ? '' : visibleLines(String(error)),
  ];
  const clock = time.toTimeString().slice(0, 8);
  return `${styleText('dim', clock)} ${parts.filter((part) => part !== '').join(' ')}`;
}

/** Renders `POST /v1/pets 201 3 ms key=till-2 client=192.0.2.7`. */
function requestOf(
  message: string,
  { method, path, status, durationMs, key, client, ...others }: LogFields,
): string[] {
  return [
    visible(`${method} ${path}`),
    status === undefined ? '' : styleText(colourOf(Number(status)), String(status)),
    durationMs === undefined ? '' : `${durationMs} ms`,
    ...detailsOf({ key, client }),
    message === 'request' ? '' : message,
    ...detailsOf(others),
  ];
}

function detailsOf(fields: LogFields): string[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${visible(name)}=${valueOf(value)}`);
}

/** Adds quotes if the value has spaces, so that it cannot pass for several fields. */
function valueOf(value: LogFields[string]): string {
  const text = String(value);
  return visible(/[\s"]/.test(text) ? JSON.stringify(text) : text);
}

function colourOf(status: number): 'red' | 'yellow' | 'cyan' | 'green' {
  return status >= 500 ? 'red' : status >= 400 ? 'yellow' : status >= 300 ? 'cyan' : 'green';
}
