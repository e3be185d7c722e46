import { OperatorError } from '../domain/error.ts';
import { createUtf8Decoder } from './utf8.ts';

/** How the text of a file without a byte order mark may be written. */
export const encodings = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

/** Turns bytes that arrive in pieces, cut anywhere, into text. Invalid ones become lone surrogates. */
interface Decoder {
  push(bytes: Uint8Array): string;
  end(): string;
}

/** A byte order mark overrules `encoding`. The first piece must be long enough to hold one. */
export function createDecoder(encoding: Encoding): Decoder {
  let decoder: Decoder | undefined;
  return {
    push(bytes) {
      decoder ??= decoderFor(bytes, encoding);
      return decoder.push(bytes);
    },
    end: () => decoder?.end() ?? '',
  };
}

/** ZIP, which .xlsx and .ods are, and the container of .xls. */
const spreadsheetMarks = ['504b0304', 'd0cf11e0'];

function decoderFor(beginning: Uint8Array, encoding: Encoding): Decoder {
  const mark = Buffer.from(beginning.subarray(0, 4)).toString('hex');
  if (spreadsheetMarks.includes(mark)) {
    throw new OperatorError(
      'This is a spreadsheet (.xlsx, .xls or .ods) or an archive, not text. Nothing was written.',
      'Open it in Excel or LibreOffice, save it with "Save As" as "CSV UTF-8", and import the new file.',
    );
  }
  if (mark.startsWith('fffe')) return createUtf16Decoder(false);
  if (mark.startsWith('feff')) return createUtf16Decoder(true);
  if (encoding === 'utf-8' || mark.startsWith('efbbbf')) return createUtf8Decoder();
  const decoder = new TextDecoder(encoding);
  return { push: (bytes) => decoder.decode(bytes), end: () => '' };
}

/** Not `TextDecoder`: it replaces lone surrogates, and a name would change unnoticed. */
function createUtf16Decoder(isBigEndian: boolean): Decoder {
  let rest = new Uint8Array();
  let isFirst = true;
  return {
    push(bytes) {
      const joined = Buffer.concat([rest, bytes]);
      const length = joined.length - (joined.length % 2);
      rest = joined.subarray(length);
      const whole = joined.subarray(isFirst ? 2 : 0, length);
      isFirst = false;
      return (isBigEndian ? whole.swap16() : whole).toString('utf16le');
    },
    end: () => (rest.length === 0 ? '' : '\udc80'),
  };
}
