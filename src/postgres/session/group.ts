import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../domain/log.ts';
import type { Counter } from '../../metrics/registry.ts';
import type { PostgresAddress } from '../address.ts';
import type { Host } from './config.ts';
import { openAt, type Connection, type ConnectionOptions } from './connection.ts';
import { askAllHosts } from './hosts.ts';
import { createOtherHosts, type OtherHosts } from './other-hosts.ts';
import { createServerReport } from './server-report.ts';
import { isSameServer, type Server } from './server.ts';

/**
 * The sessions of this process. The invariant: **at any time all sessions that were handed out belong to one server.**
 * Before another server is used, every session of the last one ends, so nothing more is read there or trusted.
 */
export interface SessionGroup {
  /** Opens a session on the server in use; chooses the server first when none is. */
  open(options: SessionOptions): Promise<Connection>;
  /** Undefined while the server in use is known to be the newest; otherwise resolves when that has been checked. */
  confirm(): Promise<void> | undefined;
  /** True while nobody has to wait for a check. */
  isConfirmed(): boolean;
  /** Keeps checking for a newer server while the work waits; finding one ends the wait. */
  during<Result>(work: Promise<Result>): Promise<Result>;
  /** Changes whenever what one session has proved no longer holds for the next. */
  readonly doubts: number;
  /** Something failed that a change of server may explain: the next request waits for a check. */
  doubt(): void;
  /** The server in use and how many sessions are open there; undefined while there is none. */
  inUse(): { host: Host; server: Server | undefined; sessionCount: number } | undefined;
  close(): void;
}

export interface SessionOptions extends Omit<ConnectionOptions, 'address' | 'mayBeStandby'> {
  /**
   * For sessions whose commits others are to read at once: on a server that is new to us, wait until no replica can still
   * trust the server before it.
   */
  waitsForOthers?: boolean;
}

/** Keys, too, are trusted no longer than the server; a revoked one is to be refused within a second. */
const confirmedForMs = 800;
/** After this long a check runs beside the requests. */
const checkAfterMs = 400;
/** How long a suspected server has to prove that it is the same one. */
const suspicionMs = 1000;
/** While everything fails, doubts never end; the statement itself then fails. */
const maxChecks = 2;
/** Servers that have just refused us are left alone for this long; requests meanwhile get the same error. */
const pauseAfterFailureMs = 100;
/** An address that leads to another server with each session cannot be used. */
const maxMoves = 5;

interface ChosenServer {
  /** From then on every replica has checked its server since this one was promoted. */
  knownFrom: number;
  host: Host;
  server: Server | undefined;
  sessions: Set<Connection>;
  otherHosts: OtherHosts;
}

export function openSessionGroup(address: PostgresAddress, log?: Log, failovers?: Counter): SessionGroup {
  const report = createServerReport(log, failovers);
  const hasOthers = address.hosts.length > 1;
  let current: ChosenServer | undefined;
  let choosing: Promise<ChosenServer> | undefined;
  let checking: Promise<void> | undefined;
  /** When a check was sent that found nothing newer; -Infinity when there is a reason for doubt. */
  let confirmedAt = -Infinity;
  let doubts = 0;
  /** The server that was used last, and so the newest that was ever used. */
  let last: Server | undefined;
  let isClosed = false;
  let underWay = 0;
  let ticking: Timer | undefined;

  const choose = async (): Promise<ChosenServer> => {
    const startedAt = performance.now();
    const { newest, others } = await askAllHosts({ address }, last);
    const { host, server } = newest;
    void newest.close();
    const isNewToUs = last?.system !== server?.system || last?.timeline !== server?.timeline;
    const chosen = {
      knownFrom: hasOthers && isNewToUs ? performance.now() + confirmedForMs : 0,
      host,
      server,
      sessions: new Set<Connection>(),
      otherHosts: createOtherHosts(address, host, others),
    };
    if (isClosed) {
      leave(chosen);
      throw new Error('The store is closing.');
    }
    last = server;
    current = chosen;
    confirmedAt = startedAt;
    report.inUse(host, server);
    return chosen;
  };

  const chooseOnce = (): Promise<ChosenServer> => {
    choosing ??= choose().then(
      (chosen) => {
        choosing = undefined;
        return chosen;
      },
      (error: unknown) => {
        report.noServer(error);
        setTimeout(() => (choosing = undefined), pauseAfterFailureMs);
        throw error;
      },
    );
    return choosing;
  };

  const leave = (chosen: ChosenServer): void => {
    if (current === chosen) current = undefined;
    doubts += 1;
    for (const session of chosen.sessions) session.destroy();
    chosen.otherHosts.close();
  };

  const suspect = (chosen: ChosenServer): void => {
    if (current !== chosen) return;
    confirmedAt = -Infinity;
    doubts += 1;
  };

  /** Undefined when the server turned out not to be the one in use. */
  const openIn = async (chosen: ChosenServer, options: SessionOptions): Promise<Connection | undefined> => {
    // The caller is not told of the loss of a session that it never got.
    let isHandedOver = false;
    const onLost = (error: unknown): void => {
      if (!isHandedOver) return;
      suspect(chosen);
      options.onLost?.(error);
    };
    let session: Connection;
    try {
      session = await openAt(chosen.host, { ...options, address, onLost });
    } catch (error) {
      suspect(chosen);
      // No session is left, so the next request asks all hosts for a server.
      if (![...chosen.sessions].some(({ isOpen }) => isOpen)) leave(chosen);
      throw error;
    }
    if (current === chosen && isSameServer(session.server, chosen.server)) {
      for (const old of chosen.sessions) if (!old.isOpen) chosen.sessions.delete(old);
      chosen.sessions.add(session);
      isHandedOver = true;
      return session;
    }
    session.destroy();
    leave(chosen);
    return undefined;
  };

  const check = async (chosen: ChosenServer): Promise<void> => {
    // A doubt that comes up meanwhile needs a check of its own.
    for (let attempt = 0; attempt < maxChecks; attempt++) {
      const sentAt = performance.now();
      const doubtsBefore = doubts;
      const reasonsToLeave = await Promise.all([
        chosen.otherHosts.haveNewer(chosen.server),
        confirmedAt === -Infinity && leadsElsewhere(address, chosen),
      ]);
      if (current !== chosen) return;
      if (reasonsToLeave.includes(true)) return leave(chosen);
      if (doubts === doubtsBefore) {
        confirmedAt = sentAt;
        return;
      }
    }
  };

  const isConfirmed = (): boolean =>
    current === undefined ||
    (hasOthers ? performance.now() - confirmedAt < confirmedForMs : confirmedAt > -Infinity);

  const confirm = (): Promise<void> | undefined => {
    if (!current) return undefined;
    const isDue = hasOthers && performance.now() - confirmedAt > checkAfterMs;
    if (isConfirmed() && !isDue) return undefined;
    checking ??= check(current).finally(() => (checking = undefined));
    return isConfirmed() ? undefined : checking;
  };

  return {
    confirm,
    isConfirmed,
    get doubts() {
      return doubts;
    },
    async during(work) {
      underWay += 1;
      if (hasOthers) ticking ??= setInterval(() => void confirm(), checkAfterMs);
      try {
        return await work;
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          clearInterval(ticking);
          ticking = undefined;
        }
      }
    },
    async open(options) {
      for (let moves = 0; moves < maxMoves; moves++) {
        const chosen = current ?? (await chooseOnce());
        const waitMs = chosen.knownFrom - performance.now();
        if (options.waitsForOthers && waitMs > 0) await sleep(waitMs);
        const session = await openIn(chosen, options);
        if (session) return session;
      }
      throw new Error('The address leads to one server after the other.');
    },
    inUse() {
      if (!current) return undefined;
      const { host, server, sessions } = current;
      return { host, server, sessionCount: [...sessions].filter(({ isOpen }) => isOpen).length };
    },
    doubt() {
      if (current) suspect(current);
    },
    close() {
      isClosed = true;
      if (current) leave(current);
    },
  };
}

/** Asks through the address itself: a name or a proxy may have moved on, while old sessions still work. */
async function leadsElsewhere(address: PostgresAddress, { host, server }: ChosenServer): Promise<boolean> {
  try {
    const session = await openAt(host, { address, mayBeStandby: true, withinMs: suspicionMs });
    void session.close();
    return !isSameServer(session.server, server);
  } catch {
    // A server that does not respond is no other server; its sessions fail by themselves.
    return false;
  }
}
