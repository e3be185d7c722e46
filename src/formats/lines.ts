import { OperatorError } from '../domain/error.ts';
import type { TextRecord } from './record.ts';

/** Splits text that arrives in pieces into records. */
export interface Splitter {
  push(text: string): TextRecord[];
  /** Returns the last record, if it has no line end. */
  end(): TextRecord[];
}

/** A longer record cannot be a pet: the API accepts 64 KiB. */
const maxRecordLength = 1024 * 1024;

/** Splits text into records. A line for which `turns` is true starts or ends a record of several lines. */
export function createLineSplitter(turns = (_text: string) => false): Splitter {
  let rest = '';
  /** The length of the complete lines in `rest`, whose record continues. */
  let seen = 0;
  let line = 1;
  let lineCount = 0;
  let isOpen = false;

  const recordOf = (lines: string): TextRecord[] => {
    const text = lines.endsWith('\r') ? lines.slice(0, -1) : lines;
    return text === '' ? [] : [{ line, text }];
  };

  return {
    push(text) {
      const records: TextRecord[] = [];
      const all = rest + text;
      let start = 0;
      let lineStart = seen;
      for (let end = all.indexOf('\n', seen); end !== -1; end = all.indexOf('\n', lineStart)) {
        if (turns(all.slice(lineStart, end))) isOpen = !isOpen;
        lineStart = end + 1;
        lineCount += 1;
        if (isOpen) continue;
        records.push(...recordOf(all.slice(start, end)));
        start = lineStart;
        line += lineCount;
        lineCount = 0;
      }
      rest = all.slice(start);
      seen = lineStart - start;
      refuseTooLong(rest.length, line);
      return records;
    },
    end: () => recordOf(rest),
  };
}

function refuseTooLong(length: number, line: number): void {
  if (length <= maxRecordLength) return;
  throw new OperatorError(
    `The record at line ${line} is longer than 1 MiB, so it cannot be a pet. Nothing was written.`,
    'Check the file, or choose another --format.',
  );
}
