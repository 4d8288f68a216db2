// The memory that the threads of a block share in a kernel in OpenCL C, and tasklets in C++ that it can express.
#pragma once

#include "sdfgc/CodeGen/OpenClPrinter.h"

namespace sdfgc::codegen {

/// The variables that a block shares.
std::vector<tree::VarId> openClShared(const tree::Function &f);
/// The types of values that the threads of a block combine, one for each place in the text, in its order.
std::vector<Type> openClCombined(const tree::Function &f);
/// For how many threads there is memory for such values.
int64_t openClThreads(const tree::Function &f);
/// Is the update made once by each block of a kernel, with the combination of its threads' values?
bool openClIsByBlock(const tree::Function &f, const tree::Update &u);
/// A tasklet in C++ that is no more than `memcpy(target, source, COUNT * sizeof(TYPE));`.
struct CopyTasklet {
    tree::RefId target, source;
    std::string count;
};
std::optional<CopyTasklet> copyTasklet(const tree::RawTasklet &t);
/// The type of the element that an update changes.
Type openClElement(const tree::Function &f, const tree::Update &u);

} // namespace sdfgc::codegen
