#include "Driver/Reports/ViewSources.h"

#include "sdfgc/Analysis/Origins.h"
#include "sdfgc/CodeGen/CodeGen.h"
#include "sdfgc/IR/ViewModel.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Targets/Targets.h"

#include <algorithm>

namespace sdfgc::driver {
namespace {

/// Larger than any program that a person writes.
constexpr std::uint64_t mostPython = 4 << 20;

json::Value sourceOf(const std::string &name, const std::string &key, const std::string &text) {
    json::Value v = json::Value::object();
    v.set("name", name);
    v.set(key, text);
    return v;
}

/// Candidate paths for a file that a graph names: as named, then in the folders by its full and by its last name.
std::vector<std::string> places(const std::string &file, const std::vector<std::string> &folders) {
    std::vector<std::string> out{file};
    for (const std::string &folder : folders) {
        out.push_back(file::join(folder, file));
        out.push_back(file::join(folder, file::nameOf(file)));
    }
    return out;
}

json::Value pythonSource(const std::string &file, int lastLine, const std::vector<std::string> &folders) {
    if (!file.ends_with(".py"))
        return sourceOf(file, "missing", "not a Python file");
    std::string why = "not found";
    for (const std::string &place : places(file, folders)) {
        const Result<std::string> text = file::readRegular(place, mostPython);
        if (!text)
            continue;
        if (std::count(text->begin(), text->end(), '\n') + 1 >= lastLine)
            return sourceOf(file, "text", *text);
        why = place + " has no line " + std::to_string(lastLine) + ", which the graph names";
    }
    return sourceOf(file, "missing", why);
}

/// `prog.py:12`: the line of the user's program recorded for an element; empty if unknown.
std::string userLine(const analysis::Origins &origins, const std::vector<int> &origin) {
    const diag::SourceLoc source = origins.sourceOf(origin);
    return source.known() ? source.file.str() + ":" + std::to_string(source.line) : "";
}

/// The sources with their links to the lines of the user's program.
SourceList linked(const codegen::Sources &sources, const ir::SDFG *graph) {
    std::map<std::string, json::Value> links;
    if (graph) {
        const analysis::Origins origins(*graph);
        for (const codegen::MapEntry &e : sources.sourceMap)
            if (const std::string source = userLine(origins, e.origin); !source.empty())
                links.try_emplace(e.file, json::Value::array()).first->second.push(json::Value::array({e.from, e.to, source}));
    }
    std::map<std::string, json::Value> found; // in the order of a build folder
    for (const codegen::SourceFile &f : sources.files) {
        if (!f.path.starts_with("src/"))
            continue;
        json::Value &v = found.emplace(f.path, sourceOf(f.path, "text", f.text)).first->second;
        if (const auto known = links.find(f.path); known != links.end())
            v.set("links", known->second);
    }
    SourceList out;
    for (auto &[path, v] : found)
        out.push_back(std::move(v));
    return out;
}

void addFiles(const std::string &folder, const std::string &below, SourceList &out) {
    const Result<std::vector<std::string>> names = file::list(file::join(folder, below));
    if (!names)
        return;
    for (const std::string &name : *names) {
        const std::string path = file::join(below, name), full = file::join(folder, path);
        if (file::isLink(full))
            continue;
        if (file::isFolder(full))
            addFiles(folder, path, out);
        else if (const Result<std::string> text = file::readRegular(full))
            out.push_back(sourceOf(path, "text", *text));
    }
}

} // namespace

SourceList pythonSources(const std::map<std::string, int> &files, const std::vector<std::string> &folders) {
    SourceList out;
    for (const auto &[file, lastLine] : files)
        out.push_back(pythonSource(file, lastLine, folders));
    return out;
}

std::optional<SourceList> emittedSources(Session &s, const std::string &path, const TargetOptions &target,
                                         const ToolchainChoice &toolchain, const PipelineOptions &pipeline) {
    Input program = s.read(path);
    if (!program)
        return std::nullopt;
    pass::CompileOptions compile = target.compileOptions(path);
    toolchain.find(s, compile, false);
    if (s.failed() || !accepts(s, program, compile))
        return std::nullopt;
    pass::Context context(s.diags, compile);
    const std::unique_ptr<tree::Module> module = lowered(s, program.program(), pipeline, context);
    if (!module)
        return std::nullopt;
    s.log().info("printing sources");
    return linked(targets::find(compile.target)->emit(*module, compile), program.graph.get());
}

SourceList builtSources(const std::string &folder) {
    SourceList out;
    addFiles(folder, "src", out);
    return out;
}

} // namespace sdfgc::driver
