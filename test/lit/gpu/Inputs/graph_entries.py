"""Calls the program `sized` with a size that is zero in every other call, and prints what its graph says."""
import numpy as np
import sized

program = sized.Program()
a, b = (program.to_device(np.ones(300)) for _ in range(2))
for i in range(6):
    program(A=a, B=b, N=300, M=(300, 0)[i % 2])
info = program.gpu_graphs()[0]
print(f"{info['entries']} entries, {info['builds']} builds, {info['evictions']} evictions")
