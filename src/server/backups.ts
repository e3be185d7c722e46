import { constants, setPriority } from 'node:os';
import { readBackupState, recordBackupState } from '../system/backup-state.ts';
import { runWhenIdle } from '../system/run-when-idle.ts';
import { describeError, type Log } from '../domain/log.ts';
import { addBackupMetrics } from '../metrics/backups.ts';
import type { Registry } from '../metrics/registry.ts';
import { embeddedPath, parseDatabaseUrl } from '../stores.ts';
import type { ServeContext, ServeOptions } from './options.ts';
import { ownProgram } from './own-program.ts';

/** Backups while the service runs. */
export interface BackupSchedule {
  /** Begins no more, and ends one that is under way; it does not count, and the next one removes what is left of it. */
  stop(): Promise<void>;
}

/** How soon a backup that failed is tried again, at the latest. */
const retryMs = 60_000;

/** What is known about the backups of an embedded store; a database server has its own. */
export function reportBackups(registry: Registry, databaseUrl: string): void {
  const location = parseDatabaseUrl(databaseUrl);
  if ('path' in location) addBackupMetrics(registry, () => readBackupState(location.path));
}

const noBackups: BackupSchedule = { async stop() {} };

/**
 * Backs the store up as often as the options say, and at once if the last backup is older than that. Each backup is a
 * process of its own with a low priority, so that requests do not wait for it. A failure is logged and tried again.
 */
export function scheduleBackups(options: ServeOptions, context: ServeContext): BackupSchedule {
  const { backupTo: to, backupEverySeconds, databaseUrl } = options;
  if (to === undefined) return noBackups;
  const everyMs = backupEverySeconds * 1000;
  const store = embeddedPath(databaseUrl);
  let child: Bun.Subprocess<'ignore', 'pipe', 'pipe'> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const runOnce = async (): Promise<boolean> => {
    const args = ['backup', to, '--keep', options.backupKeep, '--json', '--database-url', databaseUrl];
    child = Bun.spawn([...ownProgram, ...args], {
      env: context.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    lowerPriority(child.pid);
    const [exitCode, output, problem] = await Promise.all([
      child.exited,
      child.stdout.text(),
      child.stderr.text(),
    ]);
    if (isStopped) return false;
    const { signalCode } = child;
    if (exitCode === 0) logMade(context.log, output, problem);
    else logFailed(context.log, { store, to, problem, signalCode });
    return exitCode === 0;
  };
  const plan = (delayMs: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      const startedAt = performance.now();
      // By our own clock as well: a backup that could not be recorded must not be followed by another at once.
      const afterMade = (): number =>
        Math.max(dueInMs(store, to, everyMs), everyMs - (performance.now() - startedAt));
      runOnce().then(
        (isMade) => plan(isMade ? afterMade() : Math.min(everyMs, retryMs)),
        (error: unknown) => {
          context.log.error('The backup could not be started.', { to, error: describeError(error) });
          plan(Math.min(everyMs, retryMs));
        },
      );
    }, delayMs);
  };
  plan(dueInMs(store, to, everyMs));
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      child?.kill('SIGKILL');
      await child?.exited;
    },
  };
}

/** Counts from the beginning of the last backup to the same place, whoever made it. */
function dueInMs(store: string, to: string, everyMs: number): number {
  const { backup } = readBackupState(store);
  if (backup?.to !== to) return 0;
  const ageMs = Date.now() - Date.parse(backup.at);
  // A backup from the future was made under a wrong clock.
  return ageMs >= 0 ? Math.max(0, everyMs - ageMs) : 0;
}

interface Made {
  name: string;
  to: string;
  petCount: number;
  bytes: number;
  durationMs: number;
  removed: string[];
}

function logMade(log: Log, output: string, problem: string): void {
  const { name, to, petCount, bytes, durationMs, removed } = JSON.parse(output) as Made;
  log.info('backup made', { name, to, pets: petCount, bytes, durationMs, removed: removed.length });
  if (problem !== '')
    log.warn('The backup is good, but there was a problem.', { to, reason: reasonOf(problem) });
}

interface Failure {
  store: string;
  to: string;
  problem: string;
  signalCode: Bun.Subprocess['signalCode'];
}

function logFailed(log: Log, { store, to, problem, signalCode }: Failure): void {
  const reason = signalCode ? `It was ended by ${signalCode}.` : reasonOf(problem);
  log.error('The backup failed. The service goes on.', { to, reason });
  if (!signalCode) return;
  try {
    recordBackupState(store, 'failedBackup', { at: new Date().toISOString(), to, problem: reason });
  } catch (error) {
    log.warn('The failed backup could not be recorded.', { error: describeError(error) });
  }
}

/** What a command has written to standard error. */
function reasonOf(problem: string): string {
  return problem.trim().replace(/^petstore: /, '');
}

function lowerPriority(pid: number): void {
  if (runWhenIdle(pid)) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already, or the system does not allow it.
  }
}
