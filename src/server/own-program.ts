/** As in `petstore.sh`: nothing in the current folder runs or configures a process of ours. */
const isolation = ['--no-env-file', '--config=/dev/null', '--tsconfig-override=/dev/null'];

/** The command that starts this program again; a one-file executable needs no source. */
export const ownProgram: readonly string[] = Bun.isStandaloneExecutable
  ? [process.execPath]
  : [process.execPath, ...isolation, Bun.main];
