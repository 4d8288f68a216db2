#include "Targets/Cxx/Emitter.h"

#include "sdfgc/CodeGen/HostPrinter.h"
#include "sdfgc/CodeGen/Interface.h"
#include "sdfgc/Support/CommentText.h"
#include "sdfgc/Support/File.h"

#include <algorithm>

namespace sdfgc::targets {

CxxEmitter::CxxEmitter(const tree::Module &m) : m_(m), name_(m.name.str()), state_(codegen::stateName(m)) {}

void CxxEmitter::allowVectorMath(const pass::CompileOptions &compile) {
    vectorMath_ = compile.vectorMathUsed();
    isVectorMathRequired_ = compile.vectorMath != pass::VectorMath::Auto;
}

codegen::Sources CxxEmitter::emit() {
    const bool several = std::any_of(m_.functions.begin(), m_.functions.end(), [](const auto &f) { return f->source > 0; });
    functions(several ? "" : "static ");
    const std::string tail = interface();
    topicsOfInterface();
    findEnvironments();
    takeOpenmp();
    takeVectorMath();
    if (several)
        severalFiles(tail);
    else
        oneFile(tail);
    levels();
    finish();
    return std::move(out_);
}

std::unique_ptr<codegen::BodyPrinter> CxxEmitter::printer(const tree::Function &f, const codegen::Output &out) const {
    return std::make_unique<codegen::HostPrinter>(m_, f, out);
}

/// Bodies first, since they determine what the file must include.
void CxxEmitter::functions(const std::string &linkage) {
    for (const auto &f : m_.functions) {
        TextWriter w;
        const std::unique_ptr<codegen::BodyPrinter> printed = printer(*f, {w, topics_, map_, mainPath()});
        const std::string parameters = printed->templateHead();
        signatures_.push_back(parameters + (parameters.empty() ? "" : " ") + printed->signature());
        const std::size_t begin = map_.size();
        printed->function(linkage);
        mapRanges_.emplace_back(begin, map_.size());
        bodies_.push_back(w.take());
    }
}

/// OpenMP pragmas require a compiler option, not a header.
void CxxEmitter::takeOpenmp() {
    out_.openmp |= topics_.erase("openmp") > 0 || topics_.contains("omp") || topics_.contains("consume");
}

/// If functions with a vector form are called, includes the header that declares these.
void CxxEmitter::takeVectorMath() {
    if (!topics_.erase("vectormath") || vectorMath_ == pass::VectorMath::None)
        return;
    out_.vectorMath = vectorMath_;
    if (vectorMath_ == pass::VectorMath::Sleef) {
        use("sleef");
        out_.libraries.emplace_back("sleefgnuabi");
    } else {
        use(isVectorMathRequired_ ? "libmvec" : "vectormath");
    }
}

void CxxEmitter::banner(TextWriter &w, const std::string &path) const {
    const std::string from = m_.source.empty() ? "" : " from " + commentText(file::nameOf(m_.source));
    w.line("// " + file::nameOf(path) + ": program `" + name_ + "`, written by sdfgc" + from + ". Edit the graph, not this file.");
}

/// Adds functions first..last to a file, and adjusts the lines of their elements to the file.
void CxxEmitter::addBodies(TextWriter &w, const std::string &path, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
        if (i > first)
            w.line();
        for (std::size_t k = mapRanges_[i].first; k < mapRanges_[i].second; ++k) {
            map_[k].file = path;
            map_[k].from += w.nextLine() - 1;
            map_[k].to += w.nextLine() - 1;
        }
        w.verbatim(bodies_[i]);
    }
}

void CxxEmitter::oneFile(const std::string &tail) {
    TextWriter w;
    banner(w, mainPath());
    declarations(w);
    addBodies(w, mainPath(), 0, bodies_.size());
    out_.files.push_back({mainPath(), w.take() + tail, true});
}

/// Distributes functions over the sources chosen by split-sources, and adds a header for shared declarations.
void CxxEmitter::severalFiles(const std::string &tail) {
    const std::string shared = name_ + "_parts.h", space = name_ + "_parts";
    TextWriter header;
    header.wrapAt(codegen::lineWidth);
    banner(header, shared);
    header.line("#pragma once");
    header.line();
    declarations(header);
    header.line("namespace " + space + " {");
    for (std::size_t i = 0; i + 1 < signatures_.size(); ++i)
        header.line(signatures_[i] + ";");
    header.line("} // namespace " + space);
    out_.files.push_back({file::join(file::folderOf(mainPath()), shared), header.take(), false});
    const std::size_t program = bodies_.size() - 1;
    for (std::size_t first = 0, last = 0; first < program; first = last) {
        auto source = [&](std::size_t f) { return m_.functions[tree::FunctionId(f)]->source; };
        while (last < program && source(last) == source(first))
            ++last;
        part(first, last, shared, space);
    }
    TextWriter w;
    partHead(w, mainPath(), shared);
    w.line("using namespace " + space + ";");
    w.line();
    addBodies(w, mainPath(), program, program + 1);
    out_.files.push_back({mainPath(), w.take() + tail, true});
}

/// A file `NAME_1.cpp` with functions first..last.
void CxxEmitter::part(std::size_t first, std::size_t last, const std::string &shared, const std::string &space) {
    const std::string main = mainPath();
    const std::size_t dot = main.rfind('.');
    const std::string path = main.substr(0, dot) + "_" + std::to_string(++parts_) + main.substr(dot);
    TextWriter w;
    partHead(w, path, shared);
    w.line("namespace " + space + " {");
    w.line();
    addBodies(w, path, first, last);
    w.line();
    w.line("} // namespace " + space);
    out_.files.push_back({path, w.take(), true});
}

void CxxEmitter::partHead(TextWriter &w, const std::string &path, const std::string &shared) const {
    banner(w, path);
    w.line("#include \"" + shared + "\"");
    w.line();
}

/// The source that callers enter.
void CxxEmitter::levels() {
    const std::string folder = file::folderOf(mainPath());
    out_.dispatcher = file::join(folder, name_ + "_dispatch.cpp");
    out_.files.push_back({file::join(folder, name_ + "_level.h"), codegen::levelHeader(m_, entries_), false});
    out_.files.push_back({out_.dispatcher, codegen::dispatcher(m_, entries_), false});
    out_.runtimeHeaders.emplace_back("sdfgc/rt/dispatch.h");
}

void CxxEmitter::finish() {
    auto further = [this](TextWriter &w) { entryPointDeclarations(w); };
    out_.files.push_back({"include/" + name_ + ".h", codegen::header(m_, further), false});
    for (codegen::SourceFile &file : furtherSources())
        out_.files.push_back(std::move(file));
    out_.sourceMap = std::move(map_);
    for (const std::string &include : includes())
        if (include[0] == '"')
            out_.runtimeHeaders.push_back(include.substr(1, include.size() - 2));
    if (out_.needs("mpi"))
        out_.runtimeHeaders.emplace_back(codegen::mpiEmulation); // so that the folder can be built without MPI
    for (std::string &file : furtherFiles())
        out_.runtimeHeaders.push_back(std::move(file));
    std::sort(out_.runtimeHeaders.begin(), out_.runtimeHeaders.end());
    out_.runtimeHeaders.erase(std::unique(out_.runtimeHeaders.begin(), out_.runtimeHeaders.end()), out_.runtimeHeaders.end());
}

std::string CxxEmitter::bufferClass(const tree::StateField &) const { return "sdfgc::rt::Buffer"; }

std::string CxxEmitter::alias(const std::string &head, const std::string &of, const std::string &) const {
    return head + " SDFGC_ALIAS(" + of + ");";
}

} // namespace sdfgc::targets
