"""Calls a program with null for an array: where it does not use it, and where it does."""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
library.maybe_initialize.restype = ctypes.c_void_p
library.maybe_error_message.restype = ctypes.c_char_p
handle = ctypes.c_void_p(library.maybe_initialize(ctypes.c_int64(0)))
library.maybe_program(handle, None, ctypes.c_int64(0))
print(library.maybe_error(handle))
library.maybe_program(handle, None, ctypes.c_int64(1))
print(library.maybe_error_message(handle).decode())
