"""Prints a graph of as many loops in each other as its argument says."""
import sys

depth = int(sys.argv[1])
print(f"sdfg deep {{\n  symbol N: int64\n  argument A: float64[N]\n  argument f: int64[{depth}]")
for d in range(depth):
    print(f"loop_{d}: while (f[{d}] > 0) {{\nstate s{d} {{\nu: o = a - 1  with a <- f[{d}]; o -> f[{d}]\n}}")
print("state inner {\nmap m[i = 0:N] with <- A[0:N]; -> A[0:N] {\nt: o = a + 1  with a <- A[i]; o -> A[i]\n}\n}")
print("}\n" * depth + "state end {}\n}")
