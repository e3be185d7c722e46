import { runCli } from '../../test/support/process/process.ts';

export interface IssuedKey {
  id: string;
  key: string;
}

/** Every key that this run has made: none of them may be found anywhere. */
export const issuedKeys = new Set<string>();

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
  const issued = JSON.parse(stdout) as IssuedKey;
  issuedKeys.add(issued.key);
  return issued;
}
