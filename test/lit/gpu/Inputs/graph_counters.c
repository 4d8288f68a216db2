#include "steps.h"

#include <stdio.h>

int main(void) {
    static double a[100];
    stepsHandle_t handle = steps_initialize(100);
    double *d = (double *)steps_device_alloc(sizeof a);
    steps_device_copy(d, a, sizeof a);
    int count = 0;
    for (int i = 0; i < 2; ++i)
        steps_program(handle, a, d, 100, 2.0);
    const steps_graph_info *graphs = steps_gpu_graphs(handle, &count);
    printf("%s %d %d\n", graphs[0].name, (int)graphs[0].builds, (int)graphs[0].launches);
    steps_device_free(d);
    return steps_finalize(handle);
}
