#!/bin/sh
# Starts petstore with the Bun that was installed for it, and with nothing from the folder it is started in. By itself,
# Bun would read that folder's .env and run programs that its bunfig.toml or tsconfig.json names. (`env -S` in a first
# line could pass these options, but BusyBox has no -S.)
program=$(readlink -f "$0")
# Where npm puts Bun: in this package, or beside it among other packages.
PATH=${program%/src/cli/petstore.sh}/node_modules/.bin:${program%/node_modules/*}/node_modules/.bin:$PATH
exec bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null "${program%.sh}.ts" "$@"
