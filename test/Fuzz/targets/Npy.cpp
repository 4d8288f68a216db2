// NumPy files (`.npy`): an array that can be read is unchanged after it is written and read again.
#include "../Mutator.h"
#include "Target.h"

#include "sdfgc/Run/Npy.h"

namespace sdfgc::fuzz {

void runInput(std::string_view input) {
    const Result<run::NpyArray> array = run::parseNpy(input);
    if (!array) {
        require(!array.error().empty(), "a file that is refused has a reason", "");
        return;
    }
    const std::string written = run::npyText(*array);
    const Result<run::NpyArray> again = run::parseNpy(written);
    require(bool(again), "what is written can be read", again ? "" : again.error());
    require(again->dtype == array->dtype && again->shape == array->shape && again->data == array->data,
            "what is written is read as the same array", written);
    require(array->data.size() == static_cast<std::size_t>(array->elements()) * static_cast<std::size_t>(array->dtype.size),
            "an array has as many bytes as its shape says", written);
}

std::string damaged(const std::string &input, uint64_t seed, std::size_t most) {
    Mutator mutator(seed, most);
    return seed % 4 == 0 ? mutator.damageBytes(input) : mutator.mutateText(input);
}

} // namespace sdfgc::fuzz
