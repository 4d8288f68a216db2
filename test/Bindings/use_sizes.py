"""Calls of `sizes` through the Python module, which takes sizes from the arrays."""
import numpy as np

import sizes

A, c, q, r, s = np.arange(1.0, 7).reshape(2, 3), np.array([10.0, 0, 0]), np.arange(100.0, 700, 100), np.zeros(9), np.zeros(3)
r[0] = 1000


def call():
    try:
        program(A=A, c=c, q=q, r=r, s=s)
        print(0, s)
    except sizes.Error as e:
        print(e.code, e)


with sizes.Program() as program:
    call()
    program.set_size('m', 3)
    call()
    c = c[:2]
    call()
    program.set_size('m', 2)
    for wrong in (lambda: program(A=A, c=c, q=q, r=r, s=s), lambda: program.set_size('K', 3)):
        try:
            wrong()
        except (TypeError, ValueError) as e:
            print(type(e).__name__)
