# program.py: heat conduction on a plate
import dace
import numpy as np

N, T = dace.symbol('N'), dace.symbol('T')


@dace.program
def heat(u: dace.float64[N, N], goal: dace.float64[N, N], loss: dace.float64[1]):
    for t in range(T):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    loss[0] = np.sum((u - goal) * (u - goal))


heat.to_sdfg().save('heat.sdfg')
