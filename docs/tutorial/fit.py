# fit.py: where must the plate be hot at first, so that it ends up like goal.npy?
import sys

import numpy as np

sys.path.insert(0, 'heat_grad.build/python')
import heat_grad

goal = np.load('goal.npy')
start, gradient = np.zeros_like(goal), np.zeros_like(goal)
loss, seed = np.zeros(1), np.zeros(1)
with heat_grad.Program() as program:
    for step in range(31):
        program(u=start.copy(), goal=goal, loss=loss, gradient_u=gradient, gradient_loss=seed, T=50)
        if step % 10 == 0:
            print(f'step {step}: loss {loss[0]:.6f}')
        start -= 0.2 * gradient
