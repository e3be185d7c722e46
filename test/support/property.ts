import * as fc from 'fast-check';

/** To repeat a failed run, give the seed that it printed: FC_SEED=123 bun test test/http/route.test.ts */
const givenSeed = process.env['FC_SEED'];

/** Holds a property to many generated values; a failure prints the seed, the path and the smallest value found. */
export function holds<Values>(property: fc.IAsyncProperty<Values>, numRuns: number): Promise<void> {
  return fc.assert(property, { numRuns, ...(givenSeed !== undefined && { seed: Number(givenSeed) }) });
}
