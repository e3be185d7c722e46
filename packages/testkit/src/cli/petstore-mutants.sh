#!/bin/sh
program=$(readlink -f "$0")
exec "${program%/*}/run.sh" "${program%.sh}.ts" "$@"
