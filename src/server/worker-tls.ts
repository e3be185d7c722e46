import { OperatorError } from '../domain/error.ts';
import { describeError } from '../domain/log.ts';
import type { Listener } from './listener.ts';
import type { ReplaceTls, Tls } from './tls.ts';

/** Asked of a worker. */
export interface TlsRequest {
  replaceTls: Tls;
}

/** What it sends back; the problem is undefined when it went well. */
export interface TlsReply {
  replacedTls: { problem: string | undefined };
}

/** The certificate of all workers, kept by their parent. */
export interface WorkerTls<Worker> {
  readonly current: Tls | undefined;
  replace: ReplaceTls;
  /** Takes what a worker sent. */
  received(worker: Worker, reply: TlsReply): void;
  /** The worker that takes its place gets the current certificate. */
  ended(worker: Worker): void;
}

/** A worker that does not reply in time keeps the others waiting no longer. */
const replyWithinMs = 20_000;

export function createWorkerTls<Worker extends { pid: number; send(message: TlsRequest): void }>(
  workers: ReadonlySet<Worker>,
  first: Tls | undefined,
): WorkerTls<Worker> {
  let current = first;
  const awaited = new Map<Worker, (problem: string | undefined) => void>();

  const ask = async (worker: Worker, replaceTls: Tls): Promise<string | undefined> => {
    const reply = Promise.withResolvers<string | undefined>();
    awaited.set(worker, reply.resolve);
    const timer = setTimeout(() => reply.resolve('It does not reply.'), replyWithinMs);
    worker.send({ replaceTls });
    const problem = await reply.promise;
    clearTimeout(timer);
    awaited.delete(worker);
    return problem;
  };

  return {
    get current() {
      return current;
    },
    async replace(tls) {
      current = tls;
      const problems: string[] = [];
      // One after the other, because the one that changes gets all new connections.
      for (const worker of [...workers]) {
        const problem = workers.has(worker) ? await ask(worker, tls) : undefined;
        if (problem !== undefined) problems.push(`Worker ${worker.pid}: ${problem}`);
      }
      if (problems.length > 0) throw new OperatorError(problems.join(' '));
    },
    received: (worker, { replacedTls }) => awaited.get(worker)?.(replacedTls.problem),
    ended: (worker) => awaited.get(worker)?.(undefined),
  };
}

/** Runs in a worker. */
export async function replyToTlsRequest(listener: Listener, { replaceTls }: TlsRequest): Promise<void> {
  let problem: string | undefined;
  try {
    await listener.replaceTls(replaceTls);
  } catch (error) {
    problem = error instanceof OperatorError ? error.problem : describeError(error);
  }
  process.send?.({ replacedTls: { problem } } satisfies TlsReply);
}

export function isTlsRequest(message: unknown): message is TlsRequest {
  return typeof message === 'object' && message !== null && 'replaceTls' in message;
}

export function isTlsReply(message: unknown): message is TlsReply {
  return typeof message === 'object' && message !== null && 'replacedTls' in message;
}
