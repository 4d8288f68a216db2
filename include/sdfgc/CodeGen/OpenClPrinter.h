// Prints kernels, and the functions that they call, as OpenCL C 1.2.
//
// Pointers have an address space in their type. A function of the tree has pointers to any memory, so it is printed once for each
// combination of spaces that its callers pass (OpenClVariant). A pointer parameter of a kernel is a buffer and an offset, because
// programs of the host may pass addresses inside of buffers (runtime-headers/sdfgc/rt/gpu/opencl.h).
#pragma once

#include "sdfgc/CodeGen/DevicePrinters.h"

#include <map>
#include <optional>
#include <set>

namespace sdfgc::codegen {

/// Where memory is.
enum class AddressSpace : uint8_t { Private, Local, Global, Constant };

/// A function, and the memory that its parameters which are pointers or references refer to.
struct OpenClVariant {
    tree::FunctionId function;
    std::vector<AddressSpace> spaces;
    auto operator<=>(const OpenClVariant &) const = default;
};

/// The spaces of all variables of a function; `conflict` is one that refers to memory of several spaces, if there is one.
struct OpenClSpaces {
    std::vector<AddressSpace> of; // by number of the variable
    tree::VarId conflict;
};
OpenClSpaces openClSpaces(const tree::Function &f, const std::vector<AddressSpace> &parameters);

/// The variant that a call in a function needs.
OpenClVariant openClCallee(const tree::Module &m, const tree::Function &f, const OpenClSpaces &spaces, const tree::Call &c);

/// Every function to print, callees before callers: kernels, and each combination of spaces that calls pass to other functions.
std::vector<OpenClVariant> openClVariants(const tree::Module &m);

/// What of a module OpenCL C cannot express, and the function with it.
struct OpenClRefusal {
    std::string what, function;
};
/// The bytes of memory that a block of a kernel declares.
int64_t openClLocalBytes(const tree::Function &kernel);
/// Do the threads of a block combine values in the call? It has a form in OpenCL C in kernels.
bool combinesInBlock(const tree::LibraryCall &c);
std::optional<OpenClRefusal> openClRefusal(const tree::Module &m);

class OpenClPrinter final : public KernelPrinter {
public:
    OpenClPrinter(const tree::Module &m, const OpenClVariant &variant, const Output &out);
    std::string signature() const override;

protected:
    using KernelPrinter::print;
    void print(const tree::Declare &d) override;
    void print(const tree::Code &c) override;
    void print(const tree::RawTasklet &t) override;
    void print(const tree::Memcpy &c) override;
    void print(const tree::Fill &f) override;
    void print(const tree::Update &u) override;
    void print(const tree::Call &c) override;
    void print(const tree::Barrier &b) override;
    void print(const tree::LibraryCall &c) override;
    std::string templateHead() const override { return ""; }
    void companions() override {}
    void body() override;
    std::string typeName(Type t) const override { return t.openClName(); }
    void useType(Type) const override {}
    std::string functionName(Name n) const override;
    std::string varText(tree::VarId v) const override;
    std::string declarator(const tree::Variable &v) const override;
    std::string castAddress(const tree::MemRef &r, const std::string &address) const override;
    void atomicUpdate(const tree::Update &u) override;
    std::string unrolled(int64_t times) const override { return "#pragma unroll " + std::to_string(times); }
    std::string hardwareIndex(const tree::Spread &s, const std::string &type) const override;
    std::string hardwareCount(const tree::Spread &s, const std::string &type) const override;

private:
    AddressSpace spaceOf(tree::VarId v) const { return spaces_.of[static_cast<std::size_t>(v.index)]; }
    std::string pointerTo(tree::VarId v, Type element) const;
    std::string parameter(tree::VarId v) const;
    void kernelPointers();
    void sharedMemory();
    void valuesOfThreads();
    std::string nextValues(Type t);
    void loopOver(const std::string &count, const std::string &statement);
    Type elementType(const tree::Update &u) const;
    bool isByBlock(const tree::Update &u) const;
    std::string combined(const tree::Update &u, const std::string &old, const std::string &value) const;
    void plainOf(const tree::Update &u);

    const OpenClSpaces spaces_;
    const std::string name_;                // of the variant
    std::map<std::string, int64_t> places_; // that have combined values so far, by the name of their memory
};

} // namespace sdfgc::codegen
