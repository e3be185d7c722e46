import { CsvError, parse } from 'csv-parse';
import { parse as parseAll } from 'csv-parse/sync';
import { OperatorError } from '../../domain/error.ts';
import { fromText, petFields } from '../../domain/pet.ts';
import { quoteText, readJsonPet, readPet, type Row } from './pet.ts';

/** A longer row cannot be a pet: the API accepts 16 KiB. */
const maxRowLength = 1024 * 1024;

function refuseTooLong(line: number): never {
  throw new OperatorError(
    `The row at line ${line} is longer than 1 MiB, so it cannot be a pet.`,
    'Check the file, or choose another --format.',
  );
}

/** Reads one JSON object per line. */
export async function* readNdjson(texts: AsyncIterable<string>): AsyncGenerator<Row> {
  let line = 1;
  let rest = '';
  const read = (text: string): Row[] => (text.trim() === '' ? [] : [{ line, ...readJsonPet(text) }]);
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const complete of lines) {
      yield* read(complete);
      line += 1;
    }
    if (rest.length > maxRowLength) refuseTooLong(line);
  }
  yield* read(rest);
}

/** How a CSV file begins. */
export interface CsvHeader {
  line: number;
  delimiter: string;
  /** The columns in order; undefined for an unknown one. */
  names: (string | undefined)[];
  /** The columns that are not imported, as the file names them. */
  leftOut: string[];
}

/** `category` may stand in place of `categoryId`. */
const columns: readonly string[] = [...petFields.map(({ name }) => name), 'category'];
const required: readonly string[] = petFields.filter(({ isOptional }) => !isOptional).map(({ name }) => name);

/** Comma, semicolon (Excel, where the comma is the decimal sign) and tab. */
const delimiters = [',', ';', '\t'];
/** Tells Excel the delimiter; we detect it from the header. */
const separatorLine = /^"?sep=[,;\t]"?$/i;
const lineEnd = /\r\n?|\n/g;

/** Detects the delimiter by finding the required columns. Unknown columns are left out, like unknown JSON fields. */
export function readHeader(beginning: string): CsvHeader {
  const lines = beginning.split(lineEnd);
  const at = lines.findIndex((line) => line.trim() !== '' && !separatorLine.test(line));
  const text = lines[at] ?? '';
  const attempts = delimiters.map((delimiter) => {
    const [titles = []] = parseAll(text, { delimiter, relax_quotes: true, trim: true });
    const names = titles.map((title) => columns.find((name) => name.toLowerCase() === title.toLowerCase()));
    const wrong = columns.filter((column) => {
      const count = names.filter((name) => name === column).length;
      const isReplaced = column === 'categoryId' && names.includes('category');
      return count > 1 || (count === 0 && required.includes(column) && !isReplaced);
    });
    const leftOut = titles.filter((title, index) => title !== '' && names[index] === undefined);
    return { line: at + 1, delimiter, names, leftOut, wrong };
  });
  const [best] = attempts.toSorted((one, other) => one.wrong.length - other.wrong.length);
  if (best?.wrong.length === 0) return best;
  throw new OperatorError(
    `Line ${at + 1}: the CSV header must have each of these columns once: ${best?.wrong.join(', ')}. It is ${quoteText(text)}. Nothing was sent.`,
    `A column may be named ${columns.join(', ')}, in any order and case; others are left out. ` +
      'Write such a header above the first pet, with commas, semicolons or tabs, or choose another --format.',
  );
}

/** Reads the rows below the header. A misplaced quote ends them, because nobody knows which rows it joins. */
export async function* readCsv(texts: AsyncIterable<string>, header: CsvHeader): AsyncGenerator<Row> {
  let line = 1;
  const rows: Row[] = [];
  const parser = parse({
    delimiter: header.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maxRowLength,
    raw: true,
    // Collected here, because a stream that fails forgets the records that nobody has taken.
    on_record(parsed: unknown) {
      const { record, raw } = parsed as { record: string[]; raw: string };
      const isBlank = record.every((cell) => cell.trim() === '');
      if (line > header.line && !isBlank) rows.push({ line, ...readRecord(record, raw, header) });
      line += raw.match(lineEnd)?.length ?? 0;
      return null;
    },
  });
  let failure: Error | undefined;
  parser.on('error', (error) => (failure = error));
  for await (const text of texts) {
    await new Promise((resolve) => parser.write(text, resolve));
    yield* rows.splice(0);
    if (failure) break;
  }
  if (!failure) await new Promise((resolve) => parser.end(resolve));
  yield* rows;
  if (failure instanceof CsvError && failure.code === 'CSV_MAX_RECORD_SIZE') refuseTooLong(line);
  if (failure) yield { line, problem: misplacedQuote };
}

const misplacedQuote =
  'A field with quotes must be quoted whole, with each quote doubled. What follows this line was not checked.';

function readRecord(cells: string[], raw: string, { names }: CsvHeader): Omit<Row, 'line'> {
  if (cells.length !== names.length) {
    const count = `${cells.length} field${cells.length === 1 ? '' : 's'}`;
    const problem = `This row has ${count}, but the header has ${names.length}`;
    return { problem: `${problem}: ${quoteText(raw.trim())}.` };
  }
  const fields: Record<string, unknown> = {};
  for (const field of petFields) {
    const given = cells[names.indexOf(field.name)] ?? '';
    // People type ` Sold`, and spreadsheets pad numbers.
    const trimmed = field.name === 'name' ? given : given.trim();
    const cell = field.name === 'status' ? trimmed.toLowerCase() : trimmed;
    if (cell !== '' || !field.isOptional) fields[field.name] = fromText(field, cell);
  }
  const category = cells[names.indexOf('category')]?.trim() ?? '';
  if (category !== '') fields['category'] = category;
  // A row that was added by hand may have only the name.
  if (category !== '' && fields['categoryId'] === '') delete fields['categoryId'];
  return readPet(fields);
}
