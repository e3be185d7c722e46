import { readFileSync } from 'node:fs';

/**
 * The name of a user of this machine; undefined for one without a name, as in a container, or from a directory service.
 * `userInfo()` would take it from the variable `USER`, which anybody can set.
 */
export function userNameOf(uid: number): string | undefined {
  try {
    const users = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
    return users.find((fields) => fields[2] === String(uid))?.[0];
  } catch {
    return undefined;
  }
}
