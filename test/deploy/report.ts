/** Says what has been shown. */
export function report(statement: string): void {
  say(`ok: ${statement}`);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

const patienceMs = 60_000;

/** Waits for something that takes its time, and reports it. An error counts as not yet. */
export async function untilTrue(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`It did not become true that ${what}.`);
    await Bun.sleep(200);
  }
  report(what);
}
