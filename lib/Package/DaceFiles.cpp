// What DaCe reads from the build folder of a program, in its own layout (dace/codegen/compiler.py, dace/sourcemap.py):
//
//     FOLDER_MODE                      `development`: the library is in build/. DaCe loads no folder without it
//     dace_files.csv                   the sources: `TARGET,TYPE,FILE`, for src/TARGET/TYPE/FILE
//     dace_environments.csv            empty: sdfgc finds libraries itself
//     map/map_py.json                  {"<file>": {"<line>": [{"cfg_id", "state_id", "node_id"}, ...]}}: line of the user's program
//                                      to elements of program.sdfg, which map/map_cpp.json maps to lines of the sources
//     build/libNAME.so, build/libdacestub_NAME.so   links to the libraries in lib/
//
// A line without elements within a program has those of the line before or, if there is none, after it, so that every line of a program
// leads somewhere.
#include "DaceFiles.h"

#include "sdfgc/Package/Interface.h"
#include "sdfgc/Support/File.h"

#include <algorithm>
#include <map>
#include <set>

#include <unistd.h>

namespace sdfgc::package {
namespace {

constexpr const char *kStub = R"(// DaCe loads this library first, and opens the program's library with its functions.
#include <dlfcn.h>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void *load_library(const char *file) { return file ? dlopen(file, RTLD_LOCAL | RTLD_NOW) : nullptr; }

EXPORTED int is_library_loaded(const char *file) {
    void *library = file ? dlopen(file, RTLD_NOLOAD | RTLD_NOW) : nullptr;
    if (library)
        dlclose(library);
    return library != nullptr;
}

EXPORTED void *get_symbol(void *library, const char *name) { return library && name ? dlsym(library, name) : nullptr; }

EXPORTED void unload_library(void *library) {
    if (library)
        dlclose(library);
}
)";

constexpr int kMostLines = 100000; // of one element: a range from a file may be wrong

struct ElementId {
    int cfg = 0, state = 0, node = 0;
};
using Lines = std::map<int, std::vector<ElementId>>;

void addLines(Lines &lines, const ir::DebugInfo &where, const ElementId &element) {
    const int last = std::min(std::max(where.endLine, where.startLine), where.startLine + kMostLines);
    for (int line = where.startLine; line <= last; ++line)
        lines[line].push_back(element);
}

/// Gives every line of a program elements.
void fillGaps(Lines &lines, const ir::DebugInfo &program) {
    const int last = std::min(program.endLine, program.startLine + kMostLines);
    for (int line = program.startLine; line <= last; ++line) {
        if (lines.count(line))
            continue;
        auto near = lines.find(line - 1);
        if (near == lines.end())
            near = lines.upper_bound(line);
        if (near != lines.end() && near->first <= last)
            lines[line] = std::vector<ElementId>(near->second);
    }
}

/// Does DaCe's map have nodes of this kind? Exits have the position of their map.
bool isMapped(const ir::Node &node) { return node.kind() != ir::NodeKind::NestedSDFG && node.debugInfo.known(); }

std::string pythonMap(const ir::SDFG &root) {
    std::map<std::string, Lines> files;
    std::map<std::string, std::vector<const ir::DebugInfo *>> programs;
    for (const ir::SDFG *graph : ir::allSDFGs(root)) {
        for (const ir::State *state : ir::allStates(*graph))
            for (const auto &node : state->nodes())
                if (isMapped(*node))
                    addLines(files[node->debugInfo.file.str()], node->debugInfo,
                             {state->parent()->cfgId, static_cast<int>(state->id()), static_cast<int>(node->id())});
        if (graph->debugInfo.known() && !graph->debugInfo.file.empty())
            programs[graph->debugInfo.file.str()].push_back(&graph->debugInfo);
    }
    for (const auto &[file, ranges] : programs)
        for (const ir::DebugInfo *range : ranges)
            fillGaps(files[file], *range);
    json::Value out = json::Value::object();
    for (const auto &[file, lines] : files) {
        json::Value byLine = json::Value::object();
        for (const auto &[line, elements] : lines) {
            json::Value list = json::Value::array();
            for (const ElementId &e : elements) {
                json::Value v = json::Value::object();
                v.set("cfg_id", e.cfg);
                v.set("state_id", e.state);
                v.set("node_id", e.node);
                list.push(std::move(v));
            }
            byLine.members().emplace_back(std::to_string(line), std::move(list));
        }
        out.set(file, std::move(byLine));
    }
    return out.dump() + "\n";
}

/// `TARGET,TYPE,FILE` for each source below src/TARGET[/TYPE].
std::string sourceList(const codegen::Sources &sources) {
    std::string out;
    for (const codegen::SourceFile &f : sources.files) {
        if (!f.translationUnit || !f.path.starts_with("src/"))
            continue;
        const std::string below = f.path.substr(4), folder(file::folderOf(below));
        const std::size_t slash = folder.find('/');
        const std::string type = slash == std::string::npos ? "" : folder.substr(slash + 1);
        out += (out.empty() ? "" : "\n") + folder.substr(0, slash) + "," + type + "," + std::string(file::nameOf(f.path));
    }
    return out;
}

} // namespace

std::string daceStubSource() { return "src/dace/stub.cpp"; }
std::string daceStubLibrary(const std::string &program) { return "lib/libdacestub_" + program + ".so"; }

bool daceCanCall(const tree::Module &m, bool emulated) {
    const Interface i = interfaceOf(m, emulated);
    std::set<std::string> names;
    for (const Argument &a : i.arguments)
        names.insert(a.name);
    const auto isKnown = [&](const sym::Expr &size) {
        const auto &symbols = size.freeSymbols();
        return std::all_of(symbols.begin(), symbols.end(), [&](const auto &s) { return names.count(s.str()) > 0; });
    };
    return i.sizes.empty() && std::all_of(i.arguments.begin(), i.arguments.end(), [&](const Argument &a) {
               return isKnown(a.totalSize) && std::all_of(a.shape.begin(), a.shape.end(), isKnown) &&
                      std::all_of(a.strides.begin(), a.strides.end(), isKnown);
           });
}

Files daceFiles(const Request &r) {
    Files out;
    if (daceCanCall(*r.module, r.compile->emulate)) {
        out["FOLDER_MODE"] = "development\n";
        out[daceStubSource()] = kStub;
    }
    out["dace_files.csv"] = sourceList(*r.sources);
    out["dace_environments.csv"] = "";
    if (r.graph)
        out["map/map_py.json"] = pythonMap(*r.graph);
    return out;
}

bool placeDaceLibraries(const std::string &folder, const std::string &program, diag::Engine &d) {
    const auto fail = [&](const std::string &path, const std::string &why) {
        d.report(diag::Id::FolderNotWritten, {path, 0, 0, "", "", {}}, why);
        return false;
    };
    if (const Result<void> made = file::makeFolderInside(folder, "build"); !made)
        return fail(file::join(folder, "build"), made.error());
    for (const std::string &library : {"lib/lib" + program + ".so", daceStubLibrary(program)}) {
        const std::string path = file::join(folder, "build/" + std::string(file::nameOf(library))), target = "../" + library;
        std::string there(target.size() + 1, '\0');
        const ssize_t size = ::readlink(path.c_str(), there.data(), there.size());
        if (size >= 0 && there.substr(0, static_cast<std::size_t>(size)) == target)
            continue;
        if (size < 0 && file::exists(path)) {
            reportForeign(folder, {"build/" + std::string(file::nameOf(library))}, d);
            return false;
        }
        const std::string temporary = file::temporaryName(path);
        if (::symlink(target.c_str(), temporary.c_str()) != 0)
            return fail(path, "cannot create the link");
        if (const Result<void> renamed = file::rename(temporary, path); !renamed)
            return fail(path, renamed.error());
    }
    return true;
}

} // namespace sdfgc::package
