import { join } from 'node:path';
import { fixedKey } from '../../test/support/process/process.ts';
import type { FloodOptions, FloodSecond } from './flood.ts';

/** Runs the flood to its end; `onSecond` sees each second as it passes. */
export async function runFlood(
  url: string,
  options: Omit<FloodOptions, 'port' | 'key'>,
  onSecond: (second: FloodSecond, passed: number) => void = () => {},
): Promise<FloodSecond[]> {
  const all: FloodOptions = { port: Number(new URL(url).port), key: fixedKey, ...options };
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'flood.ts'), JSON.stringify(all)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: (options.seconds + 60) * 1000,
    killSignal: 'SIGKILL',
  });
  const seconds: FloodSecond[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of child.stdout) {
      const lines = (rest + decoder.decode(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const second = JSON.parse(line) as FloodSecond;
        seconds.push(second);
        onSecond(second, seconds.length);
      }
    }
  } finally {
    child.kill('SIGKILL');
  }
  await child.exited;
  return seconds;
}

/** Useful responses a second, without the first seconds in which connections are opened. */
export function usefulPerSecond(seconds: readonly FloodSecond[]): number {
  const counted = seconds.slice(Math.min(2, seconds.length - 1));
  return counted.reduce((sum, { useful }) => sum + useful, 0) / counted.length;
}
