# compiled.py: heat.sdfg as a Python function
import numpy as np
import sdfgc

heat = sdfgc.compile('heat.sdfg')
u, goal, loss = np.ones((8, 8)), np.zeros((8, 8)), np.zeros(1)
heat(u=u, goal=goal, loss=loss, T=10)     # N follows from the shapes
heat(u, goal, loss, T=10)                 # positions are those of the program
print(heat, loss)
