#include "Target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace sdfgc::fuzz {

void broken(std::string_view promise, std::string_view detail) {
    std::fprintf(stderr, "broken promise: %.*s\n%.*s\n", static_cast<int>(promise.size()), promise.data(),
                 static_cast<int>(std::min<std::size_t>(detail.size(), 4000)), detail.data());
    std::fflush(stderr);
    std::abort();
}

} // namespace sdfgc::fuzz
