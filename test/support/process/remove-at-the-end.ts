/**
 * A test run has no moment of its own after the last file, and it can be killed. So a shell waits for the end of the
 * pipe that the run holds, stops whatever PostgreSQL server is left in the folder and removes it.
 */
export function removeAtTheEnd(folder: string): void {
  const script = `
    trap '' INT TERM HUP
    cat >/dev/null
    for file in "$1"/*/data/postmaster.pid; do [ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")"; done
    for attempt in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$1" 2>/dev/null && exit; sleep 0.3; done`;
  Bun.spawn(['sh', '-c', script, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'] }).unref();
}
