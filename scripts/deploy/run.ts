export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end and returns what it printed. Throws with all of that if it fails. */
export async function run(command: string[], input = ''): Promise<string> {
  const { status, stdout, stderr } = await runToEnd(command, input);
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** The same for a program that may fail. */
export async function runToEnd(command: string[], input = ''): Promise<Ended> {
  const child = Bun.spawn(command, { stdin: Buffer.from(input), stdout: 'pipe', stderr: 'pipe' });
  const [status, stdout, stderr] = await Promise.all([
    child.exited,
    child.stdout.text(),
    child.stderr.text(),
  ]);
  return { status, stdout, stderr };
}

/** Says what has been shown. */
export function report(statement: string): void {
  console.log(`ok: ${statement}`);
}
