// main.cpp
#include "heat.hpp"

#include <cstdio>
#include <vector>

int main() {
    const int N = 200, T = 50;
    std::vector<double> u(N * N), goal(N * N), loss(1);
    u[N / 2 * N + N / 2] = 1000; // one hot point in the middle of a cold plate
    heatProgram heat(N, T);
    heat(goal, loss, u, N, T);
    std::printf("loss %.6f, in the middle %.6f\n", loss[0], u[N / 2 * N + N / 2]);
}
