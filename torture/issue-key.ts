import { runCli } from '../test/process.ts';

export interface IssuedKey {
  id: string;
  key: string;
}

/** `petstore keys create`, beside a running service. */
export async function issueKey(databaseUrl: string, ...flags: string[]): Promise<IssuedKey> {
  const { status, stdout, stderr } = await runCli([
    'keys',
    'create',
    '--name',
    'torture',
    '--json',
    '--database-url',
    databaseUrl,
    ...flags,
  ]);
  if (status !== 0) throw new Error(`keys create failed: ${stderr}`);
  return JSON.parse(stdout) as IssuedKey;
}
