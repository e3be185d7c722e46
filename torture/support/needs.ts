/** What some tests need beyond the project itself; each says why it is missing and how to get it. */

export function missingStrace(): string | undefined {
  if (process.platform !== 'linux') return 'strace is a Linux program';
  return missingProgram('strace', 'apt-get install strace');
}

export function missingProgram(name: string, remedy: string): string | undefined {
  return Bun.which(name) === null ? `${name} is not installed (${remedy})` : undefined;
}

/** Loop devices and mounts need root and a machine that allows them; only trying tells. */
export function missingMount(): string | undefined {
  if (process.platform !== 'linux') return 'loop devices are a feature of Linux';
  if (process.getuid?.() !== 0) return 'mounting needs root (run it with sudo)';
  const absent = missingProgram('mkfs.ext4', 'apt-get install e2fsprogs');
  if (absent !== undefined) return absent;
  const script = `
    folder=$(mktemp -d) && trap 'umount "$folder/at" 2>/dev/null; rm -rf "$folder"' EXIT
    truncate -s 8M "$folder/image" && mkfs.ext4 -q "$folder/image" && mkdir "$folder/at" &&
    mount -o loop "$folder/image" "$folder/at"`;
  const { success, stderr } = Bun.spawnSync(['sh', '-c', script]);
  if (success) return undefined;
  return `this machine allows no loop mounts (${stderr.toString().trim().split('\n')[0]}); a container needs --privileged`;
}
