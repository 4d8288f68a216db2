// Three queries to a compiler, and the file that caches the answers.
#include "Build/Internal.h"
#include "Build/Record.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Hash.h"
#include "sdfgc/Support/Json.h"
#include "sdfgc/Support/Process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace sdfgc::build {
namespace {

using json::Value;

constexpr int kCacheFormat = 4; // a file of another format counts as absent
constexpr double kAnswerSeconds = 30;

// ---- queries

std::string firstLine(const std::string &text) { return text.substr(0, text.find('\n')); }

/// Existing folders, without duplicates or `..`.
std::vector<std::string> usableFolders(const std::vector<std::string> &folders) {
    std::vector<std::string> result;
    std::set<std::string> seen;
    for (const std::string &f : folders)
        if (const std::string whole = file::absolute(f); file::isFolder(whole) && seen.insert(whole).second)
            result.push_back(whole);
    return result;
}

/// The list that GCC and Clang print with -v: indented lines between two fixed sentences.
std::vector<std::string> parseIncludeFolders(const std::string &text) {
    std::vector<std::string> folders;
    const std::size_t from = text.find("#include <...> search starts here:\n"), to = text.find("End of search list.", from);
    if (from == std::string::npos || to == std::string::npos)
        return folders;
    for (std::size_t at = text.find('\n', from) + 1; at < to;) {
        const std::size_t end = text.find('\n', at);
        if (text[at] == ' ')
            folders.push_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return folders;
}

std::vector<std::string> parseLibraryFolders(const std::string &text) {
    constexpr std::string_view mark = "libraries: =";
    const std::size_t at = text.find(mark);
    return at == std::string::npos ? std::vector<std::string>() : pathList(firstLine(text.substr(at + mark.size())));
}

/// Folders of `"-L..."` in the link command that Clang's -### shows.
std::vector<std::string> parseLinkFolders(const std::string &text) {
    constexpr std::string_view mark = "\"-L";
    std::vector<std::string> folders;
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
        at += mark.size();
        folders.push_back(text.substr(at, text.find('"', at) - at));
    }
    return folders;
}

/// GCC and Clang print `Target: x86_64-linux-gnu` with -v.
std::string parseMachine(const std::string &text) {
    constexpr std::string_view mark = "Target: ";
    const std::size_t at = text.find(mark);
    return at == std::string::npos ? "" : firstLine(text.substr(at + mark.size()));
}

/// Describes how a query failed, with the relevant line of the compiler's output: its first error, or else the first line.
std::string described(const process::Outcome &o) {
    std::string said = firstLine(o.err);
    for (std::size_t at = 0; at < o.err.size(); at = std::min(o.err.find('\n', at), o.err.size() - 1) + 1)
        if (const std::string line = firstLine(o.err.substr(at)); line.find("error:") != std::string::npos) {
            said = line;
            break;
        }
    return o.describe() + (said.empty() ? "" : ": " + said);
}

/// Fills in the compiler's answers; returns why it cannot be used, or nothing.
std::string interrogate(Compiler &compiler) {
    const process::Outcome version = askCompiler(compiler, {"--version"});
    if (!version.ok())
        return described(version);
    compiler.version = firstLine(version.out);
    const process::Outcome includes = askCompiler(compiler, {"-xc++", "-E", "-v", "/dev/null"});
    if (includes.err.find("clang version ") != std::string::npos)
        compiler.kind = CompilerKind::Clang;
    else if (includes.err.find("gcc version ") != std::string::npos)
        compiler.kind = CompilerKind::Gcc;
    else
        return "it is neither GCC nor Clang: " + (compiler.version.empty() ? "its --version prints nothing" : compiler.version);
    if (!includes.ok())
        return "it does not preprocess an empty file: " + described(includes);
    const process::Outcome libraries = askCompiler(compiler, {"-print-search-dirs"});
    compiler.includeFolders = usableFolders(parseIncludeFolders(includes.err));
    compiler.machine = parseMachine(includes.err);
    std::vector<std::string> folders = parseLibraryFolders(libraries.out);
    if (compiler.kind == CompilerKind::Clang) // its OpenMP library may be in a folder that only -fopenmp adds
        for (std::string &folder : parseLinkFolders(askCompiler(compiler, {"-###", "-fopenmp", "-xc++", "/dev/null"}).err))
            folders.push_back(std::move(folder));
    compiler.libraryFolders = usableFolders(folders);
    const std::optional<file::Stamp> stamp = file::stamp(compiler.command[0]);
    compiler.identity = version.out + std::to_string(stamp ? stamp->size : 0);
    return {};
}

// ---- caching

/// Is the file at `path` the compiler itself, rather than a wrapper that may start another one next time?
bool isRealCompiler(const std::string &path) {
    std::error_code ec;
    const std::string name = std::filesystem::canonical(path, ec).filename().string();
    return !ec && name.find("cache") == std::string::npos && name.find("distcc") == std::string::npos;
}

Value toJson(const std::vector<std::string> &texts) { return Value::array({texts.begin(), texts.end()}); }

bool fromJson(const Value *v, std::vector<std::string> &texts) {
    if (!v || !v->isArray())
        return false;
    for (const Value &item : v->items())
        texts.push_back(item.text());
    return true;
}

/// Fills `compiler` from the file; false if that is missing, damaged, or about another version of the compiler.
bool load(const std::string &path, const file::Stamp &stamp, Compiler &compiler) {
    const Result<std::string> text = file::readRegular(path, 1u << 20);
    const std::optional<Value> v = text ? json::parse(*text) : std::nullopt;
    if (!v || !v->get("format") || v->get("format")->asInt() != kCacheFormat)
        return false;
    auto textOf = [&](const char *key) { return v->get(key) ? v->get(key)->text() : std::string(); };
    if (textOf("compiler") != compiler.command[0] || textOf("stamp") != stampText(stamp) || textOf("identity").empty())
        return false;
    Compiler loaded = compiler;
    loaded.kind = textOf("kind") == "clang" ? CompilerKind::Clang : CompilerKind::Gcc;
    loaded.version = textOf("version");
    loaded.machine = textOf("machine");
    loaded.identity = textOf("identity");
    if (!fromJson(v->get("includes"), loaded.includeFolders) || !fromJson(v->get("libraries"), loaded.libraryFolders))
        return false;
    compiler = std::move(loaded);
    return true;
}

/// If the cache cannot be written, it is not used; this is not an error. Others may write there, too: a link may lead outside of
/// the cache.
void store(const std::string &path, const file::Stamp &stamp, const Compiler &compiler) {
    Value v = Value::object();
    v.set("format", kCacheFormat);
    v.set("compiler", compiler.command[0]);
    v.set("stamp", stampText(stamp));
    v.set("kind", compiler.kind == CompilerKind::Clang ? "clang" : "gcc");
    v.set("version", compiler.version);
    v.set("machine", compiler.machine);
    v.set("identity", compiler.identity);
    v.set("includes", toJson(compiler.includeFolders));
    v.set("libraries", toJson(compiler.libraryFolders));
    const std::string folder = file::folderOf(path);
    if (!file::makeFolder(folder))
        return;
    file::removeTemporaries(folder, kForgottenSeconds);
    (void)file::writeAtomic(path, v.dump(1) + "\n", file::Links::Replace);
}

} // namespace

process::Outcome askCompiler(const Compiler &compiler, const std::vector<std::string> &arguments) {
    process::Command command;
    command.argv = compiler.command;
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.environment = {{"LC_ALL", "C"}}; // the answers are parsed
    process::Limits limits;
    limits.seconds = kAnswerSeconds;
    return process::run(command, limits);
}

std::string compilerCacheFolder(const std::string &asked) {
    if (!asked.empty())
        return asked == "-" ? "" : asked;
    const char *cache = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
    if (cache && cache[0] == '/')
        return file::join(cache, "sdfgc");
    return home && home[0] == '/' ? file::join(home, ".cache/sdfgc") : "";
}

std::optional<Compiler> describeCompiler(const std::vector<std::string> &command, const std::string &cacheFolder,
                                         diag::Engine &diags) {
    Compiler compiler;
    compiler.command = command;
    const std::string path = command.empty() ? "" : process::find(command[0]);
    if (path.empty()) {
        diags.report(diag::Id::CompilerUnusable, {}, process::quoted(command), "there is no such program");
        return std::nullopt;
    }
    compiler.command[0] = file::absolute(path);
    const std::optional<file::Stamp> stamp = file::stamp(path);
    const bool keep = !cacheFolder.empty() && stamp && command.size() == 1 && isRealCompiler(path);
    const std::string cacheFile = file::join(cacheFolder, "compiler-" + hashOf(compiler.command[0]).hex() + ".json");
    if (keep && load(cacheFile, *stamp, compiler))
        return compiler;
    if (const std::string reason = interrogate(compiler); !reason.empty()) {
        diags.report(diag::Id::CompilerUnusable, {}, process::quoted(command), reason);
        return std::nullopt;
    }
    if (keep)
        store(cacheFile, *stamp, compiler);
    return compiler;
}

} // namespace sdfgc::build
