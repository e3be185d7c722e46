# Runs the program beside $program, a shell script, with the Bun that was installed for it, and with nothing from the
# folder it is started in.
bun=bun
# npm puts Bun beside this package, among other packages, or into the workspace. If npm runs no install scripts, .bin/bun
# is a text that says so ("echo ..."), and the program is in the package of the platform.
for folder in "${program%/src/cli/*}" "${program%/node_modules/*}" "${program%/packages/*}"; do
  for found in "$folder"/node_modules/.bin/bun "$folder"/node_modules/@oven/bun-*/bin/bun; do
    if [ "$bun" = bun ] && [ -x "$found" ] && [ "$(head -c 4 "$found")" != echo ]; then bun=$found; fi
  done
done
exec "$bun" --no-env-file --config=/dev/null --tsconfig-override=/dev/null "${program%.sh}.ts" "$@"
