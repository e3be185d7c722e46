import { createClient } from '../../packages/client/src/index.ts';
import { followWithMirrors, type FollowingMirrors } from '../../test/support/mirror.ts';
import { fixedKey } from '../../test/support/process/process.ts';
import { randomFrom } from '../../test/support/random.ts';

/** Two mirrors that read each page from one of these services. A dead one must not hold them up: nothing is repeated. */
export function followServices(urls: readonly string[], seed: number): FollowingMirrors {
  const random = randomFrom(seed);
  const pick = () => createClient({ baseUrl: random.pick(urls), apiKey: fixedKey, retryForMs: 0 });
  return followWithMirrors(2, pick, random);
}
