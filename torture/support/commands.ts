import { runCli } from '../../test/support/process/process.ts';

export interface IssuedKey {
  id: string;
  key: string;
}

/** Runs a command that must succeed, and gives what it printed. */
export async function succeed(args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCli(args);
  if (status !== 0) throw new Error(`petstore ${args[0]} ended with ${status}: ${stderr}`);
  return stdout;
}

/** `petstore keys create`, beside a running service. */
export async function issueKey(databaseUrl: string, ...flags: string[]): Promise<IssuedKey> {
  const create = ['keys', 'create', '--name', 'torture', '--json', '--database-url', databaseUrl];
  return JSON.parse(await succeed([...create, ...flags])) as IssuedKey;
}
