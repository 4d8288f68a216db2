# inputs.py: where the plate is hot at first, and where it should be hot at the end
import numpy as np

N, RANKS = 200, 4
x, y = np.meshgrid(np.linspace(-1, 1, N), np.linspace(-1, 1, N))
plates = {'u': np.exp(-40 * (x**2 + y**2)), 'goal': np.exp(-30 * ((x - 0.1)**2 + y**2))}
for name, plate in plates.items():
    np.save(f'{name}.npy', plate)
    for rank, rows in enumerate(np.split(plate, RANKS)):
        np.save(f'{name}.{rank}.npy', rows)
