/** Runs a program to its end and returns what it printed. Throws with all of that if it fails. */
export async function run(command: string[], input = ''): Promise<string> {
  const { exited, stdout, stderr } = Bun.spawn(command, {
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [status, said, complained] = await Promise.all([exited, stdout.text(), stderr.text()]);
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}:\n${said}${complained}`);
  return said.trim();
}

/** Says what has been shown. */
export function report(statement: string): void {
  console.log(`ok: ${statement}`);
}
