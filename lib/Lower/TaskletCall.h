// C++ tasklets that are one call of BLAS or LAPACK.
//
// A C++ tasklet is text with a variable for each connector, since nobody knows what the text does to them. A C function is known to
// take its arguments by value, so where the text is nothing but one call of such a function, what the connectors stand for takes
// their place:
//
//     {                                              product = cblas_ddot(N, A.data(), 1, &B[N * i], 1);
//         double *_in_x = A.data();
//         double *_in_y = &B[N * i];      becomes
//         double _out_r;
//         _out_r = cblas_ddot(N, _in_x, 1, _in_y, 1);
//         product = _out_r;
//     }
#pragma once

#include "TaskletConnections.h"

namespace sdfgc::tree::lowering {

/// Can what the connectors stand for take their place in the text? Not where the user may have defined macros of that name.
bool isPlainCall(const Instance &in, const ir::Tasklet &t, const TaskletConnections &connections);

/// Adds such a call to `out`.
void plainCall(Instance &in, const ir::Tasklet &t, const TaskletConnections &connections, Block &out);

} // namespace sdfgc::tree::lowering
