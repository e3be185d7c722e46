#!/bin/sh
# run.sh PROGRAM.ts ARGUMENT…: runs a program with the Bun that was installed for it, and with nothing from the folder it
# is started in.
program=$1
shift
bun=$(command -v bun)
# npm puts Bun beside this package, among other packages, or into the workspace. If npm runs no install scripts, .bin/bun
# is a text that says so ("echo ..."), and the program is in the package of the platform.
for folder in "${program%/node_modules/*}" "${program%/packages/*}" "${program%/src/cli/*}"; do
  for found in "$folder"/node_modules/@oven/bun-*/bin/bun "$folder"/node_modules/.bin/bun; do
    if [ -x "$found" ] && [ "$(head -c 4 "$found")" != echo ]; then bun=$found; fi
  done
done
if [ -z "$bun" ]; then
  name=${program##*/}
  echo "${name%.ts}: It needs Bun and the server. Install both: npm install -D petstore-server" >&2
  exit 2
fi
exec "$bun" --no-env-file --config=/dev/null --tsconfig-override=/dev/null "$program" "$@"
