# refused.py: calls that do not fit the program, and a graph that does not compile
import numpy as np
import sdfgc

heat = sdfgc.compile('heat.sdfg')
u, goal, loss = np.ones((8, 8)), np.zeros((8, 8)), np.zeros(1)
for arguments in (dict(u=u, goal=goal, T=1), dict(u=u, goal=goal, loss=loss, T=1, steps=3), dict(u=u, goal=goal[:4], loss=loss, T=1),
                  dict(u=u.astype('float32'), goal=goal, loss=loss, T=1), dict(u=u.T[::2, ::2], goal=u.T[::2, ::2], loss=loss, T=1)):
    try:
        heat(**arguments)
    except (TypeError, ValueError) as e:
        print(f'{type(e).__name__}: {e}')

text = open('heat.sdfg').read()
open('broken.sdfg', 'w').write(text.replace('__out = (0.25 * __in2)', '__out = (0.25 * __in3)'))
try:
    sdfgc.compile('broken.sdfg')
except sdfgc.CompileError as e:
    print(e)
    print(e.code, e.source_file, e.source_line)
