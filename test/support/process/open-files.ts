import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a process other than this one has the file open, as the system tells it. */
export function isOpenElsewhere(path: string): boolean {
  const file = realpathSync(path);
  const isOpenIn = (pid: string): boolean => {
    try {
      const folder = `/proc/${pid}/fd`;
      return readdirSync(folder).some((descriptor) => readlinkSync(join(folder, descriptor)) === file);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').some(
    (name) => /^\d+$/.test(name) && name !== String(process.pid) && isOpenIn(name),
  );
}
