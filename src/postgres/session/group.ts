import { reasonOf, type Log } from '../../domain/log.ts';
import type { Counter } from '../../metrics/registry.ts';
import type { Host, PostgresAddress } from '../address.ts';
import { within } from '../errors.ts';
import { openAt, type Connection, type ConnectionOptions } from './connection.ts';
import { introduce, isNewer, isSameServer, pickNewest, refusalOf } from './server.ts';

type SessionOptions = Omit<ConnectionOptions, 'address'>;

type ServerInUse = Pick<Connection, 'host' | 'server'>;

/** How often the other hosts are asked while there are requests. */
const checkEveryMs = 500;
/** Nothing is sent, and no key is trusted, when the last check is older. So a newer server is found within a second. */
const trustedForMs = 900;
/** A host that takes longer to respond delays nobody; the next check may find it. */
const responseMs = 400;
/** An address that leads to another server with each session cannot be used. */
const maxMoves = 5;

/**
 * The sessions of this process. The invariant: **all of them belong to one server**, the newest that can be written.
 * When a newer one is seen, every session ends; the next ones are opened there.
 */
export class SessionGroup {
  /** Changes whenever what one session has proved may not hold for the next. */
  losses = 0;
  readonly #address: PostgresAddress;
  readonly #log: Log | undefined;
  readonly #failovers: Counter | undefined;
  readonly #sessions = new Set<Connection>();
  /** One more session on each host that is not in use, to ask it whether it was promoted. */
  readonly #probes = new Map<Host, Promise<Connection>>();
  #current: ServerInUse | undefined;
  /** The last one that was used; what is older is never used again. */
  #last: ServerInUse | undefined;
  #choosing: Promise<void> | undefined;
  #checking: Promise<void> | undefined;
  #checkedAt = -Infinity;
  #isWithout = false;
  #isClosed = false;

  constructor(address: PostgresAddress, log?: Log, failovers?: Counter) {
    this.#address = address;
    this.#log = log;
    this.#failovers = failovers;
  }

  /** The server in use and how many sessions are open there; undefined while there is none. */
  inUse(): (ServerInUse & { sessionCount: number }) | undefined {
    return this.#current && { ...this.#current, sessionCount: this.#sessions.size };
  }

  /** Opens a session on the server in use; chooses the server first when none is. */
  async open(options: SessionOptions): Promise<Connection> {
    for (let moves = 0; moves < maxMoves && !this.#isClosed; moves++) {
      if (!this.#current)
        await (this.#choosing ??= this.#choose().finally(() => (this.#choosing = undefined)));
      const session = this.#current && (await this.#openOn(this.#current, options));
      if (session) return session;
    }
    throw new Error(
      this.#isClosed ? 'The store is closed.' : 'The address leads to one server after the other.',
    );
  }

  /** Does something with the sessions, on a server that was checked lately, and goes on checking meanwhile. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const checked = this.#checkIfDue();
    if (!this.isConfirmed()) await checked;
    const timer = setInterval(() => void this.#checkIfDue(), checkEveryMs);
    try {
      return await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** False while requests wait for a check. */
  isConfirmed(): boolean {
    return !this.#current || this.#checkAgeMs() < trustedForMs;
  }

  /** Something failed that a change of server may explain: the next request waits for a check. */
  doubt(): void {
    this.losses += 1;
    this.#checkedAt = -Infinity;
  }

  /** Ends every session; none is opened from now on. */
  close(): void {
    this.#isClosed = true;
    this.#leave();
    for (const host of this.#probes.keys()) this.#endProbe(host);
  }

  /** Undefined when the host turned out to be another server than the one in use. */
  async #openOn(chosen: ServerInUse, options: SessionOptions): Promise<Connection | undefined> {
    let session: Connection;
    const onLost = (error: unknown): void => {
      // Nobody is told of the loss of a session that was not handed over.
      if (!this.#sessions.delete(session)) return;
      if (this.#current === chosen) this.doubt();
      options.onLost?.(error);
    };
    try {
      session = await openAt(chosen.host, { ...options, address: this.#address, onLost });
    } catch (error) {
      this.doubt();
      // The next request asks all hosts for a server.
      if (this.#current === chosen && this.#sessions.size === 0) this.#leave();
      throw error;
    }
    if (this.#current === chosen && !this.#isClosed && isSameServer(session.server, chosen.server)) {
      this.#sessions.add(session);
      return session;
    }
    session.destroy();
    if (this.#current === chosen) this.#leave();
    return undefined;
  }

  #leave(): void {
    this.#current = undefined;
    this.doubt();
    for (const session of this.#sessions) session.destroy();
  }

  async #choose(): Promise<void> {
    const startedAt = performance.now();
    const responses = await Promise.allSettled(
      this.#address.hosts.map((host) => this.#ask(host, this.#address.connectTimeoutMs)),
    );
    const { newest, failure } = pickNewest(responses, this.#address, this.#last?.server);
    if (!newest) {
      if (!this.#isWithout)
        this.#log?.error('No database server can be used.', { reason: reasonOf(failure) });
      this.#isWithout = true;
      throw failure;
    }
    const { host, server } = newest;
    const { system, timeline } = server;
    const fields = { server: `${host.host}:${host.port}`, system, timeline };
    const last = this.#last;
    if (!last) this.#log?.info('using database server', fields);
    else if (last.host !== host || last.server.system !== system || last.server.timeline !== timeline) {
      this.#failovers?.increment();
      this.#log?.warn('The database server has changed.', fields);
    } else if (this.#isWithout) this.#log?.info('The database server can be used again.', fields);
    this.#endProbe(host);
    this.#current = this.#last = { host, server };
    this.#checkedAt = startedAt;
    this.#isWithout = false;
  }

  /** A single host has nobody to be checked against, unless there is a doubt. */
  #checkAgeMs(): number {
    const isExempt = this.#address.hosts.length === 1 && this.#checkedAt > -Infinity;
    return isExempt ? 0 : performance.now() - this.#checkedAt;
  }

  #checkIfDue(): Promise<void> | undefined {
    if (!this.#current || this.#checkAgeMs() < checkEveryMs) return undefined;
    this.#checking ??= this.#check(this.#current).finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  /** A host that does not respond is no reason to leave: the sessions there fail by themselves. */
  async #check(current: ServerInUse): Promise<void> {
    const [startedAt, losses] = [performance.now(), this.losses];
    // In doubt the host in use is asked anew: a name or a proxy may have moved on, while old sessions still work.
    const isInDoubt = this.#checkedAt === -Infinity;
    const hosts = this.#address.hosts.filter((host) => isInDoubt || host !== current.host);
    const responses = await Promise.allSettled(hosts.map((host) => this.#ask(host, responseMs)));
    this.#endProbe(current.host);
    if (this.#current !== current) return;
    const isOutdated = responses.some(
      (response) => response.status === 'fulfilled' && replaces(response.value, current, this.#address),
    );
    if (isOutdated) this.#leave();
    else if (this.losses === losses) this.#checkedAt = startedAt;
  }

  /** The session, which has just said who its server is. One that takes longer to open is kept for the next time. */
  async #ask(host: Host, waitMs: number): Promise<Connection> {
    const known = this.#probes.get(host);
    const session = await within(waitMs, known ?? this.#openProbe(host));
    if (!known) return session;
    try {
      return Object.assign(session, await within(waitMs, introduce(session, this.#address)));
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  #openProbe(host: Host): Promise<Connection> {
    const forget = (): void => {
      if (this.#probes.get(host) === probe) this.#probes.delete(host);
    };
    const probe = openAt(host, { address: this.#address, onLost: forget });
    probe.catch(forget);
    this.#probes.set(host, probe);
    return probe;
  }

  #endProbe(host: Host): void {
    const probe = this.#probes.get(host);
    this.#probes.delete(host);
    probe?.then((session) => session.close()).catch(() => {});
  }
}

/** Whether another server is behind the host in use, or a newer one behind another host. */
function replaces(response: Connection, { host, server }: ServerInUse, address: PostgresAddress): boolean {
  if (response.host === host) return !isSameServer(response.server, server);
  return !refusalOf(response, address) && isNewer(response.server, server);
}
