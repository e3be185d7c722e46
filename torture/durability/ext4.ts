import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A disk of its own: an ext4 image over a loop device. */
export interface Disk extends Disposable {
  /** Where it is mounted. */
  folder: string;
  /**
   * The image as it is at one moment, mounted as after a power cut: what the file system kept in memory is gone, and
   * its journal is replayed.
   */
  cut(): Promise<Disk>;
}

export function openDisk(megabytes: number): Disk {
  const place = mkdtempSync(join(tmpdir(), 'petstore-disk-'));
  const image = join(place, 'image');
  command('truncate', '-s', `${megabytes}M`, image);
  command('mkfs.ext4', '-q', image);
  return mount(place, image);
}

function mount(place: string, image: string): Disk {
  const folder = join(place, 'at');
  mkdirSync(folder);
  command('mount', '-o', 'loop', image, folder);
  const device = basename(command('findmnt', '-n', '-o', 'SOURCE', folder));
  return {
    folder,
    async cut() {
      const copyPlace = mkdtempSync(join(tmpdir(), 'petstore-cut-'));
      const copy = join(copyPlace, 'image');
      await copyAtOneMoment(image, copy, device);
      return mount(copyPlace, copy);
    },
    [Symbol.dispose]() {
      // A process that was killed on this disk may need a moment to close its files.
      for (let attempt = 0; !isGone(folder); attempt++) {
        if (attempt === 50) throw new Error(`${folder} cannot be unmounted.`);
        Bun.sleepSync(100);
      }
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** A copy during which nothing reached the device: no real disk was ever in a state that is half old, half new. */
async function copyAtOneMoment(image: string, copy: string, device: string): Promise<void> {
  const written = () =>
    readFileSync(`/sys/block/${device}/stat`, 'utf8').trim().split(/\s+/).slice(4, 8).join(' ');
  for (let attempt = 0; attempt < 200; attempt++) {
    const before = written();
    command('cp', '--sparse=always', image, copy);
    if (written() === before) return;
    await Bun.sleep(5);
  }
  throw new Error('The disk was never quiet for the length of a copy.');
}

function isGone(folder: string): boolean {
  return Bun.spawnSync(['umount', folder]).success || !Bun.spawnSync(['mountpoint', '-q', folder]).success;
}

function command(...words: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(words);
  if (!success) throw new Error(`${words.join(' ')} failed: ${stderr.toString()}`);
  return stdout.toString().trim();
}
