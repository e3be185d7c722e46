#!/bin/sh
# Runs the program beside this file with the Bun that was installed for it, and with nothing from the folder it is started in.
program=$(readlink -f "$0")
# Where npm puts Bun: beside this package, among other packages, or in the workspace.
PATH=${program%/src/cli/*}/node_modules/.bin:${program%/node_modules/*}/node_modules/.bin:${program%/packages/*}/node_modules/.bin:$PATH
exec bun --no-env-file --config=/dev/null --tsconfig-override=/dev/null "${program%.sh}.ts" "$@"
