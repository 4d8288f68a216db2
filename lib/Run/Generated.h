// Values on the command line that stand for contents: `zeros`, `range`, `random:-1:1`, `same:A`, `null`.
#pragma once

#include "sdfgc/Run/Values.h"

#include <optional>
#include <string>
#include <utility>

namespace sdfgc::run {

/// The memory of another array, `same:NAME`?
inline bool isShared(const std::string &value) { return value.starts_with("same:"); }

/// Is a value such a word? The bounds of `random` are not checked.
bool isGenerator(const std::string &value);

/// Returns LOW and HIGH of `random:LOW:HIGH`; nothing unless both are numbers and LOW is less.
std::optional<std::pair<double, double>> boundsOf(const std::string &value);

/// Returns element `i` of `range`, converted as by NumPy's `astype`: small types wrap around.
Number counted(Type t, int64_t i);

/// Returns the next number of `random` or `random:LOW:HIGH`.
Number drawn(const std::string &value, Type t, Random &random);

/// Returns the seed of an argument's own sequence: its numbers do not depend on the other arguments.
uint64_t seedOf(uint64_t seed, const std::string &argument);

} // namespace sdfgc::run
