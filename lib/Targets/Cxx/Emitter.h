// The base of targets whose sources are C++ or close to it: one file (or several) with includes, types, constants, the program's
// state, the functions of the tree and the C interface. It prints what the tree says and decides nothing.
//
//   Emitter.cpp      functions, and the files that they are in
//   Declarations.cpp includes, the state, constants
//   EntryPoints.cpp  the C interface (contract C3)
//
// A target derives from it, says where its sources lie, and adds what its programs have besides.
#pragma once

#include "sdfgc/CodeGen/BodyPrinter.h"
#include "sdfgc/Platform/Libraries.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace sdfgc::targets {

class CxxEmitter {
public:
    explicit CxxEmitter(const tree::Module &m);
    virtual ~CxxEmitter() = default;
    /// The sources of the module. Same module, same bytes.
    codegen::Sources emit();

protected:
    // ---- what a target says
    /// The source with the C interface, relative to the build folder: `src/cpu/NAME.cpp`.
    virtual std::string mainPath() const = 0;
    /// The printer of a function.
    virtual std::unique_ptr<codegen::BodyPrinter> printer(const tree::Function &f, const codegen::Output &out) const;
    /// Topics of the runtime headers (use) and libraries that all programs of the target need.
    virtual void needs() {}
    /// Does an environment that the program names matter to the target?
    virtual bool serves(const platform::Environment &e) const { return e.side == platform::Environment::Side::Host; }
    /// The type of a buffer of the program's state.
    virtual std::string bufferClass(const tree::StateField &f) const;
    /// The initialiser of such a buffer, with its braces: `{"A"}`; empty for none.
    virtual std::string bufferInit(const tree::StateField &) const { return ""; }
    /// Members of the program's state.
    virtual void stateFields(TextWriter &) const {}
    /// First statements of the initialiser and last ones of the finaliser (which sets `__err` where something fails).
    virtual bool hasResources() const { return false; }
    virtual void acquire(TextWriter &) const {}
    virtual void release(TextWriter &) const {}
    /// Statements at the beginning of a call, in front of the program itself.
    virtual std::string beginCall() const { return ""; }
    /// Functions of the C interface besides those that all programs have.
    virtual void entryPoints(TextWriter &) const {}
    /// Their declarations in the program's header.
    virtual void entryPointDeclarations(TextWriter &) const {}
    /// A second name for a function of the C interface.
    virtual std::string alias(const std::string &head, const std::string &of, const std::string &values) const;
    /// Sources besides those with the functions.
    virtual std::vector<codegen::SourceFile> furtherSources() const { return {}; }
    /// Files of runtime-headers that no source with functions includes.
    virtual std::vector<std::string> furtherFiles() const { return {}; }

    void use(std::string_view topic) { topics_.insert(std::string(topic)); }

    const tree::Module &m_;
    const std::string name_; // of the program

private:
    // ---- Emitter.cpp
    void functions(const std::string &linkage);
    void takeOpenmp();
    void banner(TextWriter &w, const std::string &path) const;
    void addBodies(TextWriter &w, const std::string &path, std::size_t first, std::size_t last);
    void oneFile(const std::string &tail);
    void severalFiles(const std::string &tail);
    void part(std::size_t first, std::size_t last, const std::string &shared, const std::string &space);
    void partHead(TextWriter &w, const std::string &path, const std::string &shared) const;
    void finish();

    // ---- Declarations.cpp
    void topicsOfInterface();
    /// Does the program name an environment?
    bool isNamed(const platform::Environment &e) const;
    void findEnvironments();
    void declarations(TextWriter &w);
    std::vector<std::string> includes() const;
    void includeLines(TextWriter &w) const;
    void state(TextWriter &w);
    void field(TextWriter &w, const tree::StateField &f);
    void constants(TextWriter &w);

    // ---- EntryPoints.cpp
    std::string interface();
    void initialise(TextWriter &w, const std::string &init);
    void allocateFields(TextWriter &w);
    void program(TextWriter &w, const std::string &all);
    void finalise(TextWriter &w);
    void external(TextWriter &w, const std::string &init);
    void aliases(TextWriter &w, const std::string &init, const std::string &all);
    static bool isBuffer(const tree::StateField &f);

    codegen::Sources out_;
    std::set<std::string> topics_;
    std::vector<codegen::MapEntry> map_;
    std::vector<std::string> bodies_, signatures_;
    std::vector<std::pair<std::size_t, std::size_t>> mapRanges_; // of bodies_, in map_
    std::vector<const platform::Environment *> environments_;
    int parts_ = 0;
};

/// A program as C++ for the CPU (Cpu.cpp), also one of a target for devices that has nothing there.
codegen::Sources emitCpu(const tree::Module &m, const pass::CompileOptions &compile);

} // namespace sdfgc::targets
