/* short.c */
#include "heat.h"
#include <stdio.h>

int main(void) {
    double u[64] = {1}, goal[64] = {0}, loss;
    heatHandle_t handle = heat_initialize(8, 10); /* N and T */
    heat_program(handle, goal, &loss, u, 8, 10);
    printf("%g\n", loss);
    return heat_finalize(handle);
}
