# call.py
import sys

import numpy as np

sys.path.insert(0, 'heat.build/python')
import heat

u, goal, loss = np.load('u.npy'), np.load('goal.npy'), np.zeros(1)
heat.run(u=u, goal=goal, loss=loss, T=50)
print(f'loss {loss[0]:.6f}')
