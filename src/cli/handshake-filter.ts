import { ptr } from 'bun:ffi';

/** For `setsockopt`, see socket(7). */
export const socketLevel = 1;
export const attachFilter = 26;
/** The size of a `struct sock_fprog`: how many instructions there are, and where. */
export const filterBytes = 16;

/**
 * Classic Berkeley packet filter: code, jump if true, jump if false, value. The packet that it sees begins with the TCP
 * header, whose byte 13 holds the flags.
 */
const instructions = [
  [0x30, 0, 0, 13], // load the flags
  [0x54, 0, 0, 0x12], // keep SYN and ACK
  [0x15, 0, 1, 0x02], // SYN alone begins a handshake:
  [0x06, 0, 0, 0], // drop it;
  [0x06, 0, 0, 0xffff_ffff], // let everything else pass
] as const;

/** A `struct sock_fprog` that drops the beginning of new handshakes, with its instructions right behind it. */
export function createHandshakeFilter(): Uint8Array {
  const bytes = new Uint8Array(filterBytes + instructions.length * 8);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, instructions.length, true);
  view.setBigUint64(8, BigInt(ptr(bytes) + filterBytes), true);
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    const start = filterBytes + index * 8;
    view.setUint16(start, code, true);
    view.setUint8(start + 2, ifTrue);
    view.setUint8(start + 3, ifFalse);
    view.setUint32(start + 4, value, true);
  }
  return bytes;
}
