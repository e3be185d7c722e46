#!/bin/sh
program=$(readlink -f "$0")
. "${program%/*}/run.sh"
