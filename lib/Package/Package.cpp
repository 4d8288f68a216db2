#include "sdfgc/Package/Package.h"

#include "CMakeProject.h"
#include "DaceFiles.h"

#include "sdfgc/Package/Interface.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Resources.h"
#include "sdfgc/Tree/Text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace sdfgc::package {

namespace {

constexpr const char *manifestName = "manifest.json";

/// All files of the folder by relative path; nothing if a runtime header is missing.
class FileSet {
public:
    FileSet(const Request &r, diag::Engine &d) : request_(r), diags_(d) {}

    bool collect() {
        for (const codegen::SourceFile &f : request_.sources->files)
            files_[f.path] = f.text;
        files_["CMakeLists.txt"] = cmakeLists(request_);
        files_["CMakePresets.json"] = cmakePresets(request_);
        files_[request_.module->name.str() + ".pc"] = pkgConfig(request_);
        if (request_.staticLibrary) {
            files_[request_.module->name.str() + "-static.pc"] = staticPkgConfig(request_);
            files_["lib/" + request_.module->name.str() + ".link"] = linkerFile(request_);
        }
        if (request_.graph)
            files_["program.sdfg"] = serialize::writeText(*request_.graph);
        else
            files_["program.sdfgtree"] = tree::print(*request_.module);
        files_["map/map_cpp.json"] = sourceMap();
        if (!addBindings())
            return false;
        if (request_.caller && !addCaller())
            return false;
        if (request_.daceFiles)
            files_.merge(daceFiles(request_));
        for (const std::string &h : request_.sources->runtimeHeaders)
            if (!addHeader(h))
                return false;
        return true;
    }
    Files take() { return std::move(files_); }

private:
    /// The interface in other languages. Parts shared by all programs are copied from sdfgc's own files.
    bool addBindings() {
        const auto cpp = binding("support.hpp"), values = binding("values.py"), program = binding("program.py");
        if (!cpp || !values || !program)
            return false;
        const Interface i = interfaceOf(*request_.module, request_.compile->emulate);
        files_["include/" + i.name + ".hpp"] = cppHeader(i, *cpp);
        files_["include/" + i.name + ".f90"] = fortranModule(i);
        files_["python/" + pythonModuleName(i.name) + ".py"] = pythonModule(i, *values + "\n\n" + *program);
        files_["python/" + pythonModuleName(i.name) + ".pyi"] = pythonStub(i);
        return true;
    }

    bool addCaller() {
        std::optional<std::string> text = callerMain(interfaceOf(*request_.module, request_.compile->emulate), diags_);
        if (text)
            files_[callerSource(request_.module->name.str())] = std::move(*text);
        return text && addHeader("sdfgc/rt/caller.h");
    }

    std::optional<std::string> binding(const std::string &name) {
        const auto source = findResource("bindings", name);
        auto text = source ? file::read(*source) : Result<std::string>(Failure{resourceFolders()});
        if (text)
            return std::move(*text);
        diags_.report(diag::Id::ResourceMissing, {}, "bindings", name, text.error());
        return std::nullopt;
    }

    /// The texts between `begin` and the next `end`.
    static std::vector<std::string> enclosed(std::string_view text, std::string_view begin, char end) {
        std::vector<std::string> out;
        for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
            at += begin.size();
            out.emplace_back(text.substr(at, text.find(end, at) - at));
        }
        return out;
    }

    /// The headers of all back ends of a device for a topic.
    static std::vector<std::string> ofBackEnds(const std::string &topic) {
        const std::string root = "sdfgc/rt/gpu";
        std::vector<std::string> out;
        if (const auto folder = findResource("runtime-headers", root))
            for (const auto &backEnd : std::filesystem::directory_iterator(*folder))
                if (const auto file = backEnd.path() / (topic + ".h"); std::filesystem::exists(file))
                    out.push_back(root + "/" + backEnd.path().filename().string() + "/" + topic + ".h");
        return out;
    }

    /// A runtime header and everything that it includes by `"..."` or, for all back ends, by `SDFGC_GPU_HEADER(topic)`.
    bool addHeader(const std::string &name) {
        std::string path = "runtime-headers/" + name;
        if (files_.count(path))
            return true;
        auto source = findResource("runtime-headers", name);
        if (!source) {
            diags_.report(diag::Id::RuntimeHeaderMissing, {name, 0, 0, "", "", {}}, name, resourceFolders());
            return false;
        }
        auto text = file::read(*source);
        if (!text) {
            diags_.report(diag::Id::FolderNotWritten, {*source, 0, 0, "", "", {}}, text.error());
            return false;
        }
        files_[path] = *text;
        for (const std::string &included : enclosed(*text, "#include \"", '"'))
            if (!addHeader(included))
                return false;
        for (const std::string &topic : enclosed(*text, "#include SDFGC_GPU_HEADER(", ')'))
            for (const std::string &part : ofBackEnds(topic))
                if (!addHeader(part))
                    return false;
        return true;
    }

    /// DaCe's map_cpp.json: {"target": "cpu" (what the sources are for), "<cfg>": {"<state>": {"<node>": {"from", "to"}}}},
    /// here with all ranges of an element under "ranges" in addition to the first one, and "file" where that is not the main source
    /// (codegen-semantics 26).
    std::string sourceMap() const {
        std::map<int, std::map<int, std::map<int, std::vector<const codegen::MapEntry *>>>> elements;
        for (const codegen::MapEntry &e : request_.sources->sourceMap)
            if (e.origin.size() >= 2)
                elements[e.origin[0]][e.origin[1]][e.origin.size() > 2 ? e.origin[2] : -1].push_back(&e);
        std::string main;
        for (const codegen::SourceFile &f : request_.sources->files)
            if (f.translationUnit)
                main = f.path;
        auto entryOf = [&](const std::vector<const codegen::MapEntry *> &ranges) {
            json::Value entry = json::Value::object();
            entry.set("from", ranges.front()->from);
            entry.set("to", ranges.front()->to);
            if (ranges.front()->file != main)
                entry.set("file", ranges.front()->file);
            if (ranges.size() > 1) {
                json::Value all = json::Value::array();
                for (const codegen::MapEntry *e : ranges)
                    if (e->file == ranges.front()->file)
                        all.push(json::Value::array({e->from, e->to}));
                entry.set("ranges", all);
            }
            return entry;
        };
        auto objectOf = [](const auto &byNumber, const auto &valueOf) {
            std::vector<json::Value::Member> members;
            for (const auto &[number, part] : byNumber)
                members.emplace_back(std::to_string(number), valueOf(part));
            return json::Value::object(std::move(members));
        };
        json::Value out = objectOf(elements, [&](const auto &states) {
            return objectOf(states, [&](const auto &nodes) { return objectOf(nodes, entryOf); });
        });
        out.members().emplace(out.members().begin(), "target", builtTarget(request_));
        return out.dump() + "\n";
    }

    const Request &request_;
    diag::Engine &diags_;
    Files files_;
};

/// Existing files with other contents that no earlier run wrote: a run records the names of its files before it writes them.
std::vector<std::string> foreignFiles(const std::string &folder, const Files &files, const std::set<std::string> &earlier) {
    std::vector<std::string> out;
    for (const auto &[path, text] : files) {
        const std::string full = file::join(folder, path);
        if (earlier.count(path) || !file::exists(full) || file::isFolder(full))
            continue;
        if (const Result<std::string> there = file::readRegular(full, text.size() + 1); !there || *there != text)
            out.push_back(path);
    }
    return out;
}

/// Removes a file that the program no longer has. A manifest is data that may have been edited: only a regular file inside the
/// folder is removed, and none reached through a link.
Result<void> removeStale(const std::string &folder, const std::string &path) {
    const std::filesystem::path plain = std::filesystem::path(path).lexically_normal();
    if (path.empty() || plain != path || plain.is_absolute() || *plain.begin() == ".." || plain == ".")
        return {};
    for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
        if (file::isLink(file::join(folder, path.substr(0, end))))
            return {};
    const std::string full = file::join(folder, path);
    return file::isFolder(full) && !file::isLink(full) ? Result<void>() : file::removeTree(full);
}

} // namespace

std::string callerSource(const std::string &program) { return "src/caller/" + program + "_main.cpp"; }
std::string staticLibrary(const std::string &program) { return "lib/lib" + program + ".a"; }
std::string callerProgram(const std::string &program) { return "bin/" + program + "_main"; }

void reportForeign(const std::string &folder, const std::vector<std::string> &files, diag::Engine &d) {
    constexpr std::size_t most = 5;
    diag::Diagnostic &report = d.report(diag::Id::FolderNotOurs, {}, folder);
    for (std::size_t i = 0; i < std::min(files.size(), most); ++i)
        report.notes.emplace_back(diag::Location(), files[i] + " would be overwritten");
    if (files.size() > most)
        report.notes.emplace_back(diag::Location(), "and " + std::to_string(files.size() - most) + " more");
    report.hint = "give another folder with -o, or move these files away";
}

std::optional<std::set<std::string>> writtenFiles(const std::string &folder) {
    auto text = file::readRegular(file::join(folder, manifestName));
    auto value = text ? json::parse(*text) : std::nullopt;
    const json::Value *files = value ? value->get("files") : nullptr;
    if (!files || !files->isArray())
        return std::nullopt;
    std::set<std::string> out;
    for (const json::Value &f : files->items())
        out.insert(std::string(f.text()));
    return out;
}

std::optional<Files> collect(const Request &r, diag::Engine &d) {
    FileSet set(r, d);
    return set.collect() ? std::optional(set.take()) : std::nullopt;
}

bool write(const Request &r, const Files &files, diag::Engine &d) { return writeFolder(r.folder, files, manifest(r), d); }

bool writeFolder(const std::string &folder, const Files &files, json::Value manifest, diag::Engine &d) {
    auto fail = [&](const std::string &path, const std::string &why) {
        d.report(diag::Id::FolderNotWritten, {path, 0, 0, "", "", {}}, why);
        return false;
    };
    auto writeManifest = [&](const std::set<std::string> &names) {
        manifest.set("files", json::Value::array({names.begin(), names.end()}));
        const std::string full = file::join(folder, manifestName);
        const auto written = file::writeIfChanged(full, manifest.dump(2) + "\n", file::Links::Replace);
        return written ? true : fail(full, written.error());
    };
    const std::optional<std::set<std::string>> earlier = writtenFiles(folder);
    if (const std::vector<std::string> foreign = earlier ? foreignFiles(folder, files, *earlier) : std::vector<std::string>();
        !foreign.empty()) {
        reportForeign(folder, foreign, d);
        return false;
    }
    std::set<std::string> names, stale = earlier.value_or(std::set<std::string>()), either = stale;
    for (const auto &[path, text] : files)
        names.insert(path);
    either.insert(names.begin(), names.end());
    // Names are recorded before files are written, so that the next run knows the files of a killed one.
    if (either != stale && !writeManifest(either))
        return false;
    for (const auto &[path, text] : files) {
        std::string full = file::join(folder, path);
        if (auto made = file::makeFolderInside(folder, file::folderOf(path)); !made)
            return fail(full, made.error());
        if (auto written = file::writeIfChanged(full, text, file::Links::Replace); !written)
            return fail(full, written.error());
        stale.erase(path);
    }
    for (const std::string &path : stale)
        if (auto removed = removeStale(folder, path); !removed)
            return fail(path, removed.error());
    return writeManifest(names);
}

} // namespace sdfgc::package
