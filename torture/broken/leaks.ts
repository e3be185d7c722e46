import { openSync } from 'node:fs';
import { breakFetch } from './layers.ts';

const memory: Buffer[] = [];
const descriptors: number[] = [];

/** Every request leaves 10 kB behind, the first ones some descriptors; and after a while each takes a millisecond longer. */
breakFetch((request, fetch) => {
  memory.push(Buffer.alloc(10_000, 1));
  for (let left = 10; left > 0 && descriptors.length < 300; left--) leaveOpen();
  if (performance.now() > 7000) Bun.sleepSync(1);
  return fetch(request);
});

function leaveOpen(): void {
  try {
    descriptors.push(openSync('/dev/null', 'r'));
  } catch {
    // None is left.
  }
}
