import { succeed } from './succeed.ts';

export interface IssuedKey {
  id: string;
  key: string;
}

/** Every key that this run has made: none of them may be found anywhere. */
export const issuedKeys = new Set<string>();

/** `petstore keys create`, beside a running service. */
export async function issueKey(databaseUrl: string, ...flags: string[]): Promise<IssuedKey> {
  const create = ['keys', 'create', '--name', 'torture', '--json', '--database-url', databaseUrl];
  const issued = JSON.parse(await succeed([...create, ...flags])) as IssuedKey;
  issuedKeys.add(issued.key);
  return issued;
}
