#!/bin/sh
# Starts petstore with nothing from the folder it is started in. By itself, Bun would read that folder's .env and run
# programs that its bunfig.toml or tsconfig.json names. (`env -S` in a first line would do, but BusyBox has no -S.)
program=$(readlink -f "$0")
exec bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null "${program%.sh}.ts" "$@"
