import { readFileSync } from 'node:fs';
import { describeError, type Log } from '../log.ts';

/** A terminal, npm and a parent may each pass on the same Ctrl-C; what comes this soon is no second one. */
const sameSignalMs = 1000;

/** The signals that ask a process to stop. A hangup, when its terminal is closed, is none under `nohup`. */
export function stopSignals(): NodeJS.Signals[] {
  return isHangupIgnored() ? ['SIGTERM', 'SIGINT'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
}

/** Resolves with the name of the signal that asks the process to stop. A second one, later, ends it at once. */
export function untilToldToStop(signals = stopSignals()): Promise<string> {
  return new Promise((resolve) => {
    let toldAt: number | undefined;
    const stop = (signal: string) => {
      toldAt ??= performance.now();
      if (performance.now() - toldAt > sameSignalMs) process.exit(1);
      resolve(signal);
    };
    for (const signal of signals) process.on(signal, stop);
  });
}

/** The runtime does not tell, so this asks the kernel: see SigIgn in proc_pid_status(5). A handler would undo it. */
function isHangupIgnored(): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    // Not Linux, or without /proc.
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
