// The base of targets whose sources are C++ or similar: one file (or several) with includes, types, constants, the program's state,
// the functions of the tree and the C interface. It prints the tree and makes no decisions.
//
//   Emitter.cpp      functions, and the files that they are in
//   Declarations.cpp includes, the state, constants
//   EntryPoints.cpp  the C interface (contract C3)
//
// A target derives from it, defines the paths of its sources, and adds its own parts of a program.
#pragma once

#include "sdfgc/CodeGen/BodyPrinter.h"
#include "sdfgc/CodeGen/Levels.h"
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
    /// The sources of the module. The same module gives identical sources.
    codegen::Sources emit();

protected:
    // ---- defined by a target
    /// The source with the C interface, relative to the build folder: `src/cpu/NAME.cpp`.
    virtual std::string mainPath() const = 0;
    /// The printer of a function.
    virtual std::unique_ptr<codegen::BodyPrinter> printer(const tree::Function &f, const codegen::Output &out) const;
    /// Adds topics of the runtime headers (use) and libraries that all programs of the target need.
    virtual void needs() {}
    /// Is an environment named by the program relevant to the target?
    virtual bool serves(const platform::Environment &e) const { return e.side == platform::Environment::Side::Host; }
    /// The type of a buffer of the program's state.
    virtual std::string bufferClass(const tree::StateField &f) const;
    /// The initialiser of such a buffer, with its braces: `{"A"}`; empty for none.
    virtual std::string bufferInit(const tree::StateField &) const { return ""; }
    /// Members of the program's state.
    virtual void stateFields(TextWriter &) const {}
    /// First statements of the initialiser and last ones of the finaliser (which sets `__err` on a failure).
    virtual bool hasResources() const { return false; }
    virtual void acquire(TextWriter &) const {}
    virtual void release(TextWriter &) const {}
    /// Statements at the beginning of a call, before the program itself.
    virtual std::string beginCall() const { return ""; }
    /// Statements at the end of a call, after the program itself.
    virtual std::string endCall() const { return ""; }
    /// Functions of the C interface besides those that all programs have, with their bodies.
    virtual std::vector<codegen::EntryPoint> furtherEntryPoints() const { return {}; }
    /// Their declarations in the program's header.
    virtual void entryPointDeclarations(TextWriter &) const {}
    /// An alias of a C interface function.
    virtual std::string alias(const std::string &head, const std::string &of, const std::string &values) const;
    /// Sources other than those with functions.
    virtual std::vector<codegen::SourceFile> furtherSources() const { return {}; }
    /// Files of runtime-headers that no source with functions includes.
    virtual std::vector<std::string> furtherFiles() const { return {}; }

    /// Lets loops call the vector functions that the options allow. By default, loops call scalar ones, as kernels must.
    void allowVectorMath(const pass::CompileOptions &compile);

    /// Links a library, by its name in Platform/Libraries.def.
    void link(std::string_view library) { out_.libraries.emplace_back(library); }
    /// The statements that check the arguments of a call, and call the program between two others.
    std::vector<std::string> checkedCall(const std::string &before, const std::string &after) const;
    void use(std::string_view topic) { topics_.insert(std::string(topic)); }
    /// Does the text use the topic? Functions are printed first.
    bool uses(std::string_view topic) const { return topics_.contains(std::string(topic)); }

    const tree::Module &m_;
    const std::string name_;  // of the program
    const std::string state_; // of the structure behind its handles

private:
    // ---- Emitter.cpp
    void functions(const std::string &linkage);
    void levels();
    void takeOpenmp();
    void takeVectorMath();
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
    std::vector<std::string> sizesOnHandle() const;
    void setters(TextWriter &w);
    void finalise(TextWriter &w);
    void external(TextWriter &w, const std::string &init);
    void further(TextWriter &w);
    void aliases(TextWriter &w, const std::string &init, const std::string &all);
    static bool isBuffer(const tree::StateField &f);

    pass::VectorMath vectorMath_ = pass::VectorMath::None; // that calls may use; not Auto
    bool isVectorMathRequired_ = false;                    // its absence is an error
    codegen::Sources out_;
    std::set<std::string> topics_;
    std::vector<codegen::EntryPoint> entries_; // the C interface
    std::vector<codegen::MapEntry> map_;
    std::vector<std::string> bodies_, signatures_;
    std::vector<std::pair<std::size_t, std::size_t>> mapRanges_; // of bodies_, in map_
    std::vector<const platform::Environment *> environments_;
    int parts_ = 0;
};

/// A program as C++ for the CPU (Cpu.cpp); also used for a program of a device target without any device code.
codegen::Sources emitCpu(const tree::Module &m, const pass::CompileOptions &compile);

} // namespace sdfgc::targets
