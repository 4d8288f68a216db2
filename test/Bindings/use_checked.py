"""Calls of checked.c through the Python module, and what the module itself refuses."""
import numpy as np

import checked

A, B, s = np.zeros((4, 3)), np.zeros(3), np.zeros(1)


def call(A=A, B=B, s=s, **given):
    try:
        with checked.Program() as program:
            program(A=A, B=B, maybe=np.zeros(4), absent=None, s=s, given=0, **given)
        print('0')
    except checked.Error as e:
        print(e.code, e)
    except (TypeError, ValueError) as e:
        print(type(e).__name__)


call()
call(A=None, M=3, N=4)
call(N=-4)
call(A=np.zeros((0, 3)), B=np.zeros(0), N=0)
call(A=np.zeros((4, 0)))
