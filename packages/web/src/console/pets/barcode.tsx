/** Code 39 (ISO/IEC 16388): five bars and the four spaces between them, of which three are wide. */
const patterns: Record<string, string> = {
  ...{ 0: 'nnnwwnwnn', 1: 'wnnwnnnnw', 2: 'nnwwnnnnw', 3: 'wnwwnnnnn', 4: 'nnnwwnnnw' },
  ...{ 5: 'wnnwwnnnn', 6: 'nnwwwnnnn', 7: 'nnnwnnwnw', 8: 'wnnwnnwnn', 9: 'nnwwnnwnn' },
  '*': 'nwnnwnwnn',
};
const wide = 3;
/** What scanners need before and after the bars. */
const quiet = 10;
const moduleMm = 0.4;

/** The digits of an id as bars for a label scanner. */
export function Barcode({ id }: { id: bigint }) {
  const bars: { x: number; width: number }[] = [];
  let x = quiet;
  for (const character of `*${id}*`) {
    // A narrow space parts each character from the next.
    for (const [index, element] of Array.from(`${patterns[character] ?? ''}n`).entries()) {
      const width = element === 'w' ? wide : 1;
      if (index % 2 === 0) bars.push({ x, width });
      x += width;
    }
  }
  const width = x - 1 + quiet;
  return (
    <svg class="barcode" viewBox={`0 0 ${width} 40`} width={`${width * moduleMm}mm`} aria-hidden="true">
      {bars.map((bar) => (
        <rect key={bar.x} {...bar} height={40} />
      ))}
    </svg>
  );
}
