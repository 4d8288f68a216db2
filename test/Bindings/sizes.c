/* Calls of `sizes`, whose arrays can only be copied to the device once the caller has set their sizes. */
#include "sizes.h"

#include <stdio.h>

#ifndef sizes_set_size_M
#error "the header says that this build needs no size"
#endif

static const double A[6] = {1, 2, 3, 4, 5, 6}, c[3] = {10, 0, 0}, q[6] = {100, 200, 300, 400, 500, 600}, r[9] = {1000};
static double s[3];

static void call(sizesHandle_t handle) {
    sizes_program(handle, A, c, q, r, s, 3);
    printf("%d %s %g %g %g\n", sizes_error(handle), sizes_error_message(handle), s[0], s[1], s[2]);
}

int main(void) {
    sizesHandle_t handle = sizes_initialize(3);
    if (!handle)
        return 1;
    call(handle);
    if (sizes_set_size_M(handle, 2) || sizes_set_size_P(handle, 3) || sizes_set_size_m(handle, 3))
        return 2;
    if (!sizes_set_size_n(handle, (int64_t)1 << 40)) /* an int32 */
        return 3;
    call(handle);
    if (sizes_set_size_n(handle, 2))
        return 4;
    call(handle);
    if (sizes_set_size_n(handle, -2))
        return 5;
    call(handle);
    if (sizes_set_size_n(handle, 0))
        return 6;
    call(handle);
    return sizes_finalize(handle);
}
