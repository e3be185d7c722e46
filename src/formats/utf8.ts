import { isUtf8 } from 'node:buffer';

/**
 * Decodes bytes that arrive in pieces, like `TextDecoder`, except that invalid bytes become lone surrogates. Valid bytes
 * never do, so a reader knows exactly which records are damaged.
 */
export function createUtf8Decoder() {
  let rest = new Uint8Array();
  let isFirst = true;

  const withoutByteOrderMark = (text: string): string => {
    if (!isFirst || text === '') return text;
    isFirst = false;
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  };

  return {
    push(bytes: Uint8Array): string {
      const joined = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const length = wholeCharacters(joined);
      rest = joined.slice(length);
      return withoutByteOrderMark(decode(joined.subarray(0, length)));
    },
    end: () => withoutByteOrderMark(decode(rest)),
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return decoder.decode(bytes);
  return pieces(bytes)
    .map((piece) => {
      const text = decoder.decode(piece);
      return isUtf8(piece) ? text : text.replaceAll('\ufffd', '\udc80');
    })
    .join('');
}

/** The length without a character that is cut off at the end. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    // The leading byte tells the length of its character.
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (size > 0) return size > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Cuts after every line end and comma, which are never part of another character, so no piece spans two records. */
function pieces(bytes: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = [];
  let start = 0;
  bytes.forEach((byte, index) => {
    if (byte !== 0x0a && byte !== 0x2c) return;
    found.push(bytes.subarray(start, index + 1));
    start = index + 1;
  });
  return [...found, bytes.subarray(start)];
}
