import { machines } from './network.ts';
import type { Agreement } from './node.ts';

/** A node as Patroni sees it. */
export interface Member {
  name: string;
  role: string;
  state: string;
  timeline: number;
}

/** Who is cut off still believes what was true before; the newest timeline knows better. */
export async function askMembers(): Promise<Member[]> {
  const views = await Promise.all(machines.map(({ address }) => askPatroni(address).catch(() => [])));
  const timelineOf = (view: Member[]) => Math.max(0, ...view.map(({ timeline }) => timeline || 0));
  return views.reduce((newest, view) => (timelineOf(view) > timelineOf(newest) ? view : newest));
}

export function isHealthy(members: Member[], { isSynchronous }: Agreement): boolean {
  const count = (...roles: string[]) => members.filter(({ role }) => roles.includes(role)).length;
  return (
    members.length === machines.length &&
    count('leader') === 1 &&
    (!isSynchronous || count('sync_standby', 'quorum_standby') > 0) &&
    members.every(({ role, state }) => state === (role === 'leader' ? 'running' : 'streaming')) &&
    new Set(members.map(({ timeline }) => timeline)).size === 1
  );
}

async function askPatroni(address: string): Promise<Member[]> {
  const response = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(2000) });
  return ((await response.json()) as { members: Member[] }).members;
}
