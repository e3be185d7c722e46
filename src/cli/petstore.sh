#!/bin/sh
# Starts petstore with the Bun that was installed for it, and with nothing from the folder it is started in. By itself,
# Bun would read that folder's .env and run programs that its bunfig.toml or tsconfig.json names. (`env -S` in a first
# line could pass these options, but BusyBox has no -S.)
program=$(readlink -f "$0")
bun=bun
# npm puts Bun into this package or beside it among other packages. If npm runs no install scripts, .bin/bun is a text
# that says so ("echo ..."), and the program is in the package of the platform.
for folder in "${program%/src/cli/*}" "${program%/node_modules/*}"; do
  for found in "$folder"/node_modules/.bin/bun "$folder"/node_modules/@oven/bun-*/bin/bun; do
    if [ "$bun" = bun ] && [ -x "$found" ] && [ "$(head -c 4 "$found")" != echo ]; then bun=$found; fi
  done
done
exec "$bun" --no-env-file --config=/dev/null --tsconfig-override=/dev/null "${program%.sh}.ts" "$@"
