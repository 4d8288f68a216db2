// A target under libFuzzer: coverage determines which inputs are kept. libFuzzer makes half of the new inputs by mutating bytes,
// the target makes the others.
#include "Target.h"

#include <algorithm>
#include <cstring>

extern "C" std::size_t LLVMFuzzerMutate(uint8_t *data, std::size_t size, std::size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
    sdfgc::fuzz::runInput({reinterpret_cast<const char *>(data), size});
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(uint8_t *data, std::size_t size, std::size_t maxSize, unsigned seed) {
    if (seed % 2 == 0 || size == 0)
        return LLVMFuzzerMutate(data, size, maxSize);
    const std::string made = sdfgc::fuzz::damaged({reinterpret_cast<const char *>(data), size}, seed, maxSize);
    if (made.empty() || made.size() > maxSize)
        return LLVMFuzzerMutate(data, size, maxSize);
    std::memcpy(data, made.data(), made.size());
    return made.size();
}
