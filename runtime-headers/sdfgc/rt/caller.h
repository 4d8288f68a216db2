// A program called from a command line, with arrays in NumPy files: what the main functions that sdfgc writes (--caller) have in common.
//
// Arguments are written NAME=VALUE, --NAME=VALUE or --NAME VALUE; a value is a file .npy, a number (of an array: every element), `zeros`,
// `range`, or `null` for an array that is not there. --out NAME=FILE.npy writes an array after the call. `{rank}` and `{ranks}` in all of
// them stand for the numbers that the launcher of an MPI gives; a file without `{rank}` is written by rank 0. Symbols that are not given
// follow from the shapes of files. These are the rules, and mostly the words, of `sdfgc run`.
//
// Everything that is wrong is said on standard error, one line each. The exit status is 2 where the command line is at fault, 1 where
// files, sizes or the program are.
#pragma once

#include "sdfgc/rt/caller/arguments.h"
#include "sdfgc/rt/caller/sizes.h"
