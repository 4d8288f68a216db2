// A tasklet in C++: the function that it becomes, and a call of it.
//
// Values go to the function and come back as they are. Of memory it gets a copy of all from the first to the last element that its
// connectors name in one buffer, as it lies there, so that code may compute with strides, and two connectors of one container are the
// same memory, as in a compiled program. Afterwards what has changed is looked at element by element.
#pragma once

#include "Guarded.h"

#include "../Steps/Side.h"

namespace sdfgc::interpret {

/// A name that the code knows.
struct NativeParameter {
    Name name;
    Type type;              // of the value, or of what the pointer points to
    bool isPointer = false; // else the name is one value
    bool isInput = false, isOutput = false;
    bool isDynamic = false;     // it is accessed or not
    std::byte *value = nullptr; // a register; null: elements of memory
    Side side;                  // these
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
        std::vector<bool> mayChange; // by cell from the one of `begin` on
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
