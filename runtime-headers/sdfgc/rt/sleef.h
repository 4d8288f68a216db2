// vectormath.h for programs that are built with --vector-math sleef and linked with libsleefgnuabi.
//
// Rule: SLEEF has all functions under the names of glibc's libmvec, with every C library.
#pragma once

#define SDFGC_VECTOR_MATH_ALL
#include "sdfgc/rt/vectormath.h"
