// Helpers for library calls.
#pragma once

namespace sdfgc::rt {

/// The address of a value that lives until the statement ends: BLAS takes complex coefficients by address.
template <class T> const T *by_address(const T &value) { return &value; }

} // namespace sdfgc::rt
