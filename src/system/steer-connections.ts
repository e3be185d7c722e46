import { ptr } from 'bun:ffi';
import { openLibc } from './libc.ts';

/**
 * Sends every new connection to one of the sockets that share a port: the one at this position, counted from 0 in the
 * order in which they began to listen. When one closes, the last takes its position. The kernel chooses again while
 * nobody has the position. See SO_ATTACH_REUSEPORT_CBPF in socket(7).
 */
export function steerConnections(anySocket: number, position: number): void {
  const libc = openLibc({ setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' } });
  if (!libc) return;
  // One `struct sock_filter`: return the constant.
  const instruction = new DataView(new ArrayBuffer(8));
  instruction.setUint16(0, returnConstant, true);
  instruction.setUint32(4, position, true);
  // A `struct sock_fprog`: the number of instructions, and where they are.
  const program = new DataView(new ArrayBuffer(16));
  program.setUint16(0, 1, true);
  program.setBigUint64(8, BigInt(ptr(instruction)), true);
  libc.symbols.setsockopt(anySocket, socketLevel, attachReuseportFilter, ptr(program), program.byteLength);
  libc.close();
}

const returnConstant = 0x06;
const socketLevel = 1;
const attachReuseportFilter = 51;
