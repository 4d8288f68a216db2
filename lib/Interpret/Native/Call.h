// A C++ tasklet: the function generated for it, and a call of that function.
//
// Values are passed to the function and back unchanged. For memory, it gets a copy of the range from the first to the last element
// that its connectors name in each buffer, with the same layout. So code may use strides, and two connectors of one container share
// memory, as in a compiled program. Afterwards, the copy is compared with the original element by element.
#pragma once

#include "Guarded.h"

#include "../Steps/Side.h"

namespace sdfgc::interpret {

/// A name used by the code.
struct NativeParameter {
    Name name;
    Type type;              // of the value, or of the pointer's target
    bool isPointer = false; // otherwise the name is a single value
    bool isInput = false, isOutput = false;
    bool isDynamic = false;     // it may not be accessed
    std::byte *value = nullptr; // a register; null: elements of memory
    Side side;                  // the elements
};

class NativeCall final {
public:
    NativeCall(std::string function, const Site *site) : function_(std::move(function)), site_(site) {}

    void add(NativeParameter p) { parameters_.push_back(std::move(p)); }
    /// The function in C++.
    std::string definition(const std::string &code) const;
    /// Takes the function from the library.
    void link(std::shared_ptr<const NativeLibrary> library);
    void run(Machine &m);

private:
    /// The part of a buffer that the parameters name.
    struct Region {
        std::shared_ptr<Buffer> buffer;
        int64_t begin, end;
        std::unique_ptr<GuardedCopy> copy;
        std::vector<bool> mayChange; // by cell, starting at that of `begin`
    };
    void locate(Machine &m);
    Region &regionOf(const Container &c);
    bool copyIn(Machine &m);
    std::optional<Stop> runApart(std::vector<void *> values) const;
    void reportStop(Machine &m, const Stop &s) const;
    void copyOut(Machine &m);
    void writeOutput(Machine &m, const NativeParameter &p, int64_t at, Region &r) const;
    void reportOthers(Machine &m, Region &r) const;

    std::string function_;
    const Site *site_;
    std::vector<NativeParameter> parameters_;
    std::vector<std::vector<int64_t>> positions_; // of each parameter's elements, in bytes of the buffer
    std::vector<Region> regions_;
    std::shared_ptr<const NativeLibrary> library_;
    NativeLibrary::Function run_ = nullptr;
};

} // namespace sdfgc::interpret
