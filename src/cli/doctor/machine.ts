import { X509Certificate } from 'node:crypto';
import { existsSync, statfsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { ServeOptions } from '../../server/options.ts';
import { ok, problem, problemOf, warning, type Finding } from './finding.ts';
import { addressOf, isLoopback, loadTls, reservePort } from '../../server/listen.ts';

const dayMs = 86_400_000;
const mebibyte = 1024 * 1024;
/** With less, the next burst of writes may fail; with less than the second, it soon will. */
const scarceBytes = 1024 * mebibyte;
const exhaustedBytes = 100 * mebibyte;
/** This program was written after this; a clock before it is wrong. */
const earliestTime = Date.UTC(2026, 0, 1);
const clockToleranceMs = 60_000;

export async function checkListening(config: ServeOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  const address = addressOf(config, config.port);
  try {
    reservePort(config);
    findings.push(ok('port', config.port === 0 ? 'Any free port will do.' : `${address} is free.`));
  } catch (error) {
    findings.push(
      (await isServedBy(config)) ? ok('port', `A service answers at ${address}.`) : problemOf('port', error),
    );
  }
  if (!isLoopback(config.host) && config.tlsCert === undefined) {
    findings.push(
      warning(
        'network',
        `Keys and pets travel unencrypted to whoever reaches ${config.host}.`,
        'Put a TLS proxy in front, or use --tls-cert and --tls-key.',
      ),
    );
  }
  const cores = availableParallelism();
  if (config.workers > cores) {
    findings.push(
      warning(
        'workers',
        `${config.workers} workers share ${cores} cores.`,
        `Start at most ${cores} with --workers.`,
      ),
    );
  }
  return findings;
}

/** Whether it is this program that has taken the port. */
async function isServedBy(config: ServeOptions): Promise<boolean> {
  const host = config.host === '0.0.0.0' ? '127.0.0.1' : config.host === '::' ? '::1' : config.host;
  try {
    const answer = await fetch(`${addressOf({ ...config, host }, config.port)}/livez`, {
      signal: AbortSignal.timeout(2000),
      tls: { rejectUnauthorized: false },
    });
    return answer.ok && answer.headers.has('X-Request-Id');
  } catch {
    return false;
  }
}

export function checkTls(config: ServeOptions, now: number): Finding[] {
  const { tlsCert, tlsKey } = config;
  if (tlsCert === undefined || tlsKey === undefined) return [];
  try {
    const tls = loadTls(config);
    const certificate = new X509Certificate(tls?.cert ?? '');
    const daysLeft = Math.floor((certificate.validToDate.getTime() - now) / dayMs);
    const until = certificate.validToDate.toISOString().slice(0, 10);
    return [
      daysLeft < 0
        ? problem('tls', `The certificate ${tlsCert} has expired on ${until}.`, 'Get a new one.')
        : daysLeft < 14
          ? warning('tls', `The certificate ${tlsCert} expires on ${until}.`, 'Renew it before.')
          : ok('tls', `The certificate is valid until ${until}.`),
      ...checkPrivacy('tls', tlsKey),
    ];
  } catch (error) {
    return [problemOf('tls', error)];
  }
}

/** A file that only its owner should read. */
export function checkPrivacy(check: string, path: string): Finding[] {
  const others = statSync(path).mode & 0o077;
  if (others === 0 || process.platform === 'win32') return [];
  return [warning(check, `${path} can be read by other users.`, `Run chmod 600 ${path}.`)];
}

export function checkDisk(path: string): Finding[] {
  const folder = nearestFolder(path);
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  const free = bavail * bsize;
  const text = `${(free / scarceBytes).toFixed(1)} GiB are free for ${folder}.`;
  const remedy = 'Make room, or move the store to a larger disk.';
  if (free < exhaustedBytes) return [problem('disk', text, remedy)];
  if (files > 0 && ffree === 0)
    return [problem('disk', `No file can be made in ${folder}: no inodes are free.`, remedy)];
  return [free < scarceBytes ? warning('disk', text, remedy) : ok('disk', text)];
}

/** The folder of a file, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

/** What the store says about the time: its latest entry, or the clock of its server. */
export interface ClockReference {
  latestTime?: number;
  serverTime?: number;
}

export function checkClock(now: number, { latestTime = 0, serverTime = now }: ClockReference): Finding[] {
  const remedy = 'Set the clock, best by turning on time synchronisation (timedatectl set-ntp true).';
  const time = new Date(now).toISOString();
  if (now < earliestTime) return [problem('clock', `The clock says ${time}, which is past.`, remedy)];
  if (latestTime > now + clockToleranceMs) {
    const latest = new Date(latestTime).toISOString();
    return [problem('clock', `The clock says ${time}, but the store has been written at ${latest}.`, remedy)];
  }
  const differenceMs = Math.abs(serverTime - now);
  if (differenceMs > clockToleranceMs) {
    const seconds = Math.round(differenceMs / 1000);
    return [
      warning('clock', `The clocks of this machine and of the database differ by ${seconds} s.`, remedy),
    ];
  }
  return [ok('clock', `The clock says ${time}.`)];
}
