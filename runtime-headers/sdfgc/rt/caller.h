// Calls a program from a command line, with arrays in NumPy files. The main functions that sdfgc generates (--caller) share this
// code.
//
// Arguments are written NAME=VALUE, --NAME=VALUE or --NAME VALUE; a value is an .npy file, a number (for an array, the value of
// every element), `zeros`, `range`, or `null` for an absent array. --out NAME=FILE.npy writes an array after the call. `{rank}` and
// `{ranks}` in any of them are replaced by the numbers that the MPI launcher provides; a file without `{rank}` is written by rank
// 0. Missing symbols are derived from the shapes of files. The rules, and most messages, are those of `sdfgc run`.
//
// Errors are printed on standard error, one line each. The exit status is 2 for errors in the command line, and 1 for errors in
// files, sizes or the program.
#pragma once

#include "sdfgc/rt/caller/arguments.h"
#include "sdfgc/rt/caller/sizes.h"
