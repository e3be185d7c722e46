import { readFileSync } from 'node:fs';
import { describeError, type Log } from './log.ts';

/** A terminal, npm and a parent may each forward one Ctrl-C, so signals this close together count as one. */
const sameSignalMs = 500;

/** The signals that ask a process to stop. SIGHUP, sent when the terminal closes, is one except under `nohup`. */
export function stopSignals(): NodeJS.Signals[] {
  return isHangupIgnored() ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
}

/** Resolves with the first stop signal. A second one ends the process at once. */
export function untilStopSignal(signals: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const stop = (signal: NodeJS.Signals) => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameSignalMs) process.exit(1);
      resolve(signal);
    };
    for (const signal of signals) process.on(signal, stop);
  });
}

/** Only the kernel knows: see SigIgn in proc_pid_status(5). Installing a handler would undo `nohup`. */
function isHangupIgnored(): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    // This is not Linux, or there is no /proc.
    return false;
  }
}

/** The log redacts keys; the runtime's own crash report would not. */
export function catchCrashes(log: Log): void {
  const crash = (error: unknown) => {
    log.error('crash', { error: describeError(error) });
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
