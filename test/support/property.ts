import * as fc from 'fast-check';

/** To repeat a failed run, give the seed that it printed: FC_SEED=123 bun test test/http/properties.test.ts */
const givenSeed = process.env['FC_SEED'];

/** Holds a property to many generated values; a failure prints the seed, the path and the smallest value found. */
export function holds<Values>(property: fc.IAsyncProperty<Values>, numRuns: number): Promise<void> {
  return fc.assert(property, { numRuns, ...(givenSeed !== undefined && { seed: Number(givenSeed) }) });
}

/** Any text that UTF-8 can carry and the API accepts as a name. */
export const wellFormedName = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary', maxLength: 2000 }),
  )
  .filter((name) => !name.includes('\0'));
