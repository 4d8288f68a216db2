#include "Driver/Compilation/BuildCache.h"
#include "Driver/CommandLine/Words.h"
#include "Driver/Compilation/DiagnosticJson.h"
#include "Driver/Crash.h"
#include "Driver/VersionText.h"
#include "sdfgc/Build/Cache.h"
#include "sdfgc/Support/BuildId.h"
#include "sdfgc/Support/Resources.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace sdfgc::driver {
namespace {

using build::Entry;
using json::Value;

constexpr double kWaitSeconds = 600;
constexpr const char *kResources[] = {"pipelines", "runtime-headers", "bindings"}; // sdfgc's own files, by kind
constexpr const char *kBindings[] = {"support.hpp", "values.py", "program.py"};    // that build folders contain

/// Options that ask for output of the passes, which then have to run.
bool showsPasses(const Compilation &c) {
    const PipelineOptions &p = c.pipeline;
    return p.printAfterAll || p.printAfterChange || p.printAfterFailure || p.verifyText || p.timePasses || p.explainMissed ||
           p.validation.validate || !p.printBefore.empty() || !p.printAfter.empty() || !p.dumpDir.empty() || !p.remarks.empty() ||
           !p.stopAfter.empty() || !c.graphFolder.empty();
}

/// `<pipelines>/cpu.yaml` for a file of sdfgc, wherever it is installed; other names as they are.
std::string portableName(const std::string &path) {
    for (const std::string kind : kResources)
        if (const std::optional<std::string> folder = findResource(kind, ""))
            if (const std::string start = *folder + (folder->ends_with('/') ? "" : "/"); path.starts_with(start))
                return "<" + kind + ">/" + path.substr(start.size());
    return path;
}

/// The file on this machine; empty if it is not installed.
std::string localName(const std::string &name) {
    const std::size_t end = name.find(">/");
    if (!name.starts_with('<') || end == std::string::npos)
        return name;
    return findResource(name.substr(1, end - 1), name.substr(end + 2)).value_or("");
}

build::Input describedByContent(const std::string &name, std::string_view content) { return {name, "", hashOf(content).hex()}; }

/// The files of sdfgc that are in every build folder of the program: its runtime headers, and parts of the bindings.
std::vector<build::Input> ownFiles(const package::Files &files) {
    std::vector<build::Input> out;
    for (const auto &[path, text] : files)
        if (path.starts_with("runtime-headers/"))
            out.push_back(describedByContent("<runtime-headers>/" + path.substr(path.find('/') + 1), text));
    for (const std::string name : kBindings)
        if (const std::optional<std::string> path = findResource("bindings", name))
            if (const Result<std::string> text = file::readRegular(*path))
                out.push_back(describedByContent("<bindings>/" + name, *text));
    return out;
}

std::string textOf(const Value &about, const char *key) {
    const Value *v = about.get(key);
    return v ? v->text() : "";
}

std::vector<std::string> textsOf(const Value &about, const char *key) {
    std::vector<std::string> out;
    if (const Value *list = about.get(key))
        for (const Value &v : list->items())
            out.push_back(v.text());
    return out;
}

/// The content of standard input is kept, for the reader.
Result<std::string> inputText(Session &s, const std::string &path) {
    if (path != "-")
        return file::read(path);
    if (!s.standardInput) {
        Result<std::string> text = file::read("/dev/stdin");
        if (!text)
            return text;
        s.standardInput = std::move(*text);
    }
    return *s.standardInput;
}

} // namespace

std::string cacheFolder(const std::string &given) {
    const char *variable = std::getenv("SDFGC_CACHE");
    return !given.empty() ? given : variable ? variable : "";
}

std::unique_ptr<BuildCache> BuildCache::open(Session &s, const std::string &given, const Compilation &compilation,
                                             const std::string &input, const std::string &output) {
    const std::string folder = cacheFolder(given);
    if (folder.empty())
        return nullptr;
    if (showsPasses(compilation)) {
        s.log().info("the cache is not used: the options ask for output of the passes");
        return nullptr;
    }
    const std::optional<std::uint64_t> bytes = build::cacheLimit(s.diags);
    if (!bytes)
        return nullptr;
    std::unique_ptr<BuildCache> cache(
        new BuildCache(compilation, input, output, build::buildStore(file::absolute(folder), *bytes)));
    return cache->makeKey(s) ? std::move(cache) : nullptr;
}

BuildCache::~BuildCache() {
    if (lock_)
        store_.unlock(key_, std::move(*lock_));
}

bool BuildCache::makeKey(Session &s) {
    TimeTrace::Scope scope(s.trace(), "cache", "key");
    crash::setActivity("looking into the cache");
    const Compilation &c = compilation_;
    Result<std::string> text = inputText(s, input_);
    if (!text)
        return false; // the reader reports it
    const bool isTree = input_.ends_with(".sdfgtree");
    std::optional<serialize::ContentDigest> content = serialize::contentDigest(std::move(*text), input_);
    pass::CompileOptions compile = c.target.compileOptions(input_);
    toolchain_ = content ? c.toolchain.find(s, compile, true) : std::nullopt;
    if (!toolchain_)
        return false;
    content_ = std::move(*content);
    const std::vector<std::string> cflags = splitWords(c.library.cflags);
    std::vector<std::string> flags = cflags;
    flags.insert(flags.end(), toolchain_->compileFlags.begin(), toolchain_->compileFlags.end());
    if (build::needFolder(flags)) {
        s.log().info("the cache is not used: the compiler's flags read or write files in the build folder");
        return false;
    }
    const std::string place = build::nameFolder(flags) ? file::absolute(output_.empty() ? "." : output_) : "";
    flags.insert(flags.end(), c.target.cpu.names.begin(), c.target.cpu.names.end());
    Hasher h;
    h.field("build 1").field(versionText()).field(buildId());
    h.field(content_.program.hex()).field(isTree ? "tree" : "graph").field(file::nameOf(input_));
    h.field(c.name.text())
        .field(c.caller ? "caller" : "")
        .field(c.daceFiles ? "dace" : "")
        .field(c.staticLibrary ? "static" : "")
        .field(c.async ? "async" : "")
        .field(place);
    for (const std::vector<std::string> &words : {pass::argumentsOf(c.target), c.pipeline.arguments(), cflags}) {
        h.field(std::to_string(words.size()));
        for (const std::string &word : words)
            h.field(word);
    }
    const std::string &pipeline = c.pipeline.pipeline; // which may be a file here, or else is an installed one
    const Result<std::string> local = file::readRegular(pipeline);
    h.field(local ? "local" + *local : "");
    h.field(build::toolchainIdentity(*toolchain_, flags, compile.gpu() && !compile.emulate));
    for (const std::string &library : compile.libraries)
        h.field(library);
    key_ = h.digest().hex();
    return true;
}

bool BuildCache::holds(Entry &entry) const {
    if (entry.about.get("lines") && textOf(entry.about, "lines") != content_.withLines.hex())
        return false;
    return textOf(entry.about, "library_flags") == build::libraryIdentity(*toolchain_, textsOf(entry.about, "libraries")) &&
           std::all_of(entry.inputs.begin(), entry.inputs.end(),
                       [](build::Input &input) { return build::isUnchanged(input, localName(input.path)); });
}

void BuildCache::reportDamaged(Session &s, const std::vector<std::string> &entries) const {
    for (const std::string &entry : entries)
        s.diags.report(diag::Id::CacheEntryDamaged, {}, entry);
}

std::optional<Restored> BuildCache::restore(Session &s) {
    TimeTrace::Scope scope(s.trace(), "cache", "restore");
    std::vector<std::string> damaged;
    const auto find = [&] {
        return store_.find(
            key_, [this](Entry &entry) { return holds(entry); }, &damaged);
    };
    std::optional<Entry> entry = find();
    if (!entry) {
        bool waited = false;
        Result<std::optional<file::Lock>> lock = store_.lock(key_, kWaitSeconds, [&](const std::string &holder) {
            waited = true;
            if (!s.general.quiet && s.general.diagnostics == DiagnosticForm::Text)
                std::fprintf(stderr, "sdfgc: waiting for %s, which is building the same program\n", holder.c_str());
        });
        if (lock && *lock)
            lock_ = std::move(*lock);
        if (waited || lock_) // another run may have published it since
            entry = find();
    }
    reportDamaged(s, damaged);
    if (!entry) {
        s.log().info("{} has no entry {}", store_.folder(), key_);
        return std::nullopt;
    }
    if (lock_)
        store_.unlock(key_, std::move(*std::exchange(lock_, std::nullopt)));
    return fill(s, *entry);
}

std::optional<Restored> BuildCache::fill(Session &s, const Entry &entry) const {
    if (const Value *list = entry.about.get("diagnostics"))
        for (const Value &v : list->items())
            if (std::optional<diag::Diagnostic> d = diagnosticFrom(v, input_))
                s.diags.repeat(std::move(*d));
    if (s.failed())
        return std::nullopt;
    Restored out;
    out.name = textOf(entry.about, "name");
    out.folder = output_.empty() ? "./" + out.name + ".build" : output_;
    build::FolderOptions options;
    for (const build::StoredFile &f : entry.files)
        if (!f.path.starts_with(".sdfgc/") && f.path != "manifest.json")
            options.files.push_back(f.path);
    options.origin = input_ == "-" ? input_ : file::absolute(input_);
    options.signature = textOf(entry.about, "signature");
    options.announceWait = !s.general.quiet;
    const std::optional<build::Folder> opened = build::Folder::open(out.folder, out.name, s.diags, options);
    if (!opened)
        return std::nullopt;
    out.files = {input_ == "-" ? std::vector<std::string>() : std::vector{input_}};
    out.files.insert(out.files.end(), content_.otherFiles.begin(), content_.otherFiles.end());
    for (const std::string &name : textsOf(entry.about, "files"))
        out.files.push_back(localName(name));
    std::vector<std::string> madeFrom = out.files;
    madeFrom.push_back(executablePath());
    const std::optional<build::PlacedBuild> placed = build::placeBuild(*opened, entry, key_, madeFrom, s.diags);
    if (!placed)
        return std::nullopt;
    const std::string stub = package::daceStubLibrary(out.name);
    const bool hasStub =
        std::any_of(entry.files.begin(), entry.files.end(), [&](const build::StoredFile &f) { return f.path == stub; });
    if (hasStub && !package::placeDaceLibraries(out.folder, out.name, s.diags))
        return std::nullopt;
    if (const Result<void> noted = opened->noteOrigin(options); !noted) {
        s.diags.report(diag::Id::OutputFailed, {}, noted.error());
        return std::nullopt;
    }
    const std::string both = placed->caller.empty() ? placed->library : placed->library + " and " + placed->caller;
    if (placed->isNew)
        s.log().result("took {} from the cache", both);
    else
        s.log().result("{} is up to date", both);
    return out;
}

void BuildCache::store(Session &s, const build::Folder &folder, const package::Files &files, const Compiled &made,
                       const std::vector<std::string> &libraries, const build::FolderOptions &options) {
    TimeTrace::Scope scope(s.trace(), "cache", "store");
    const auto refuse = [&](const std::string &why) { s.diags.report(diag::Id::BuildNotCached, {}, made.module->name.str(), why); };
    Result<Entry> entry = build::takeBuild(folder, files);
    if (!entry)
        return refuse(entry.error());
    Value diagnostics = Value::array(), dependencies = Value::array();
    bool hasLines = compilation_.target.checks || compilation_.daceFiles; // messages and maps name lines of the user's program
    for (const diag::Diagnostic &d : s.diags.all()) {
        if (d.id == diag::Id::CacheEntryDamaged)
            continue;
        hasLines |= d.place.source.known() ||
                    std::any_of(d.notes.begin(), d.notes.end(), [](const auto &note) { return note.first.source.known(); });
        diagnostics.push(toJson(d, input_));
    }
    for (const std::string &path : made.files) {
        if (path == input_ || std::find(content_.otherFiles.begin(), content_.otherFiles.end(), path) != content_.otherFiles.end())
            continue;
        const Result<std::string> text = file::readRegular(path);
        if (!text)
            return refuse(text.error());
        entry->inputs.push_back(describedByContent(portableName(path), *text));
        dependencies.push(portableName(path));
    }
    for (build::Input &input : ownFiles(files))
        entry->inputs.push_back(std::move(input));
    Value about = Value::object();
    about.set("name", folder.name());
    about.set("signature", options.signature);
    about.set("files", std::move(dependencies));
    about.set("libraries", json::strings(libraries));
    about.set("library_flags", build::libraryIdentity(*toolchain_, libraries));
    about.set("diagnostics", std::move(diagnostics));
    if (hasLines)
        about.set("lines", content_.withLines.hex());
    entry->about = std::move(about);
    if (const Result<void> published = store_.publish(key_, *entry); !published)
        refuse(published.error());
}

} // namespace sdfgc::driver
