#include "steps.hpp"

#include <cstdio>

int main() {
    static double a[100];
    stepsProgram program(100);
    auto *d = static_cast<double *>(steps_device_alloc(sizeof a));
    steps_device_copy(d, a, sizeof a);
    for (int i = 0; i < 2; ++i)
        program(a, d, 100, 2.0);
    int count = 0;
    const steps_graph_info *graphs = program.gpuGraphs(count);
    std::printf("%s %d %d\n", graphs[0].name, static_cast<int>(graphs[0].builds), static_cast<int>(graphs[0].launches));
    steps_device_free(d);
}
