# short.py
import sys
import numpy as np
sys.path.insert(0, 'heat.build/python')
import heat
u, goal, loss = np.ones((8, 8)), np.zeros((8, 8)), np.zeros(1)
heat.run(u=u, goal=goal, loss=loss, T=10)
print(loss)
