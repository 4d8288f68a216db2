"""Calls the program `sized` with an array that is empty in every other call, and prints what its graph says."""
import numpy as np
import sized

program = sized.Program()
a, b, none = (program.to_device(np.ones(size)) for size in (300, 300, 0))
for i in range(6):
    program(A=a, B=(b, none)[i % 2], N=300, M=(300, 0)[i % 2])
info = program.gpu_graphs()[0]
print(f"{info['entries']} entries, {info['builds']} builds, {info['evictions']} evictions")
