/* Arguments that the program `checked` cannot take, and some that it can: each call prints its code and message. */
#include "checked.h"

#include <stdio.h>

static double A[12], s[1];
static const double B[3];

static void call(checkedHandle_t handle, double *a, const double *b, double *sum, int32_t m, int64_t n) {
    checked_program(handle, a, b, NULL, NULL, sum, m, n, 0);
    printf("%d %s\n", checked_error(handle), checked_error_message(handle));
}

int main(void) {
    checkedHandle_t handle = checked_initialize(3, 4, 0);
    if (!handle)
        return 1;
    call(handle, A, B, s, 3, 4);
    call(handle, A, B, s, 3, -4);
    call(handle, A, B, s, -3, 4);
    call(handle, A, B, s, 3, 0);
    call(handle, NULL, B, s, 3, 4);
    call(handle, A, NULL, s, 3, 4);
    call(handle, A, B, NULL, 3, 4);
    call(handle, NULL, B, s, 0, 4); /* no elements */
    call(handle, A, NULL, s, 3, 1); /* of B */
    call(handle, A, B, s, 3, 4);    /* the handle is as good as before */
    return checked_finalize(handle);
}
