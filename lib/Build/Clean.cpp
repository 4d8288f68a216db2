// Removes a build folder: unless everything in it is ours, nothing is removed.
#include "sdfgc/Build/Cache.h"

#include "Build/Internal.h"
#include "Build/Record.h"

#include "sdfgc/Package/Package.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include <unistd.h>

namespace sdfgc::build {
namespace {

namespace fs = std::filesystem;

/// Files and folders below a folder, relative to it. Links are files.
struct Content {
    std::set<std::string> files, folders;
};

/// Is it one of the links for DaCe (package::placeDaceLibraries)?
bool isLinkToLibrary(const std::string &folder, const std::string &path) {
    std::error_code ec;
    return path.starts_with("build/lib") &&
           fs::read_symlink(file::join(folder, path), ec) == "../lib/" + path.substr(path.find('/') + 1);
}

/// Fails if a part cannot be read, since its contents are unknown.
Result<Content> contentOf(const std::string &folder) {
    Content out;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
        std::error_code none;
        const bool isFolder = it->is_directory(none) && !it->is_symlink(none);
        (isFolder ? out.folders : out.files).insert(it->path().lexically_relative(folder).string());
    }
    if (ec)
        return Failure{"cannot read all of " + folder + ": " + ec.message()};
    return out;
}

/// Was the file written by a run of sdfgc, or by Python when it loaded a module that such a run wrote?
bool isWrittenByUs(const std::string &path, const std::set<std::string> &written) {
    return written.count(path) || path.starts_with(".sdfgc/") ||
           (path.starts_with("python/__pycache__/") && path.ends_with(".pyc"));
}

/// The files written by a run: sources according to the manifest, results of commands according to the record.
std::set<std::string> writtenTo(const std::string &folder) {
    std::set<std::string> out = package::writtenFiles(folder).value_or(std::set<std::string>());
    for (const auto &[output, step] : readRecord(file::join(folder, ".sdfgc/build.json")).steps)
        out.insert(output);
    out.insert({"manifest.json", "compile_commands.json"});
    return out;
}

void reportOthers(const std::string &folder, const std::vector<std::string> &files, diag::Engine &diags) {
    constexpr std::size_t most = 5;
    diag::Diagnostic &d = diags.report(diag::Id::BuildFileError, {}, folder + " holds files that sdfgc did not write");
    for (std::size_t i = 0; i < std::min(files.size(), most); ++i)
        d.notes.push_back({{}, files[i]});
    if (files.size() > most)
        d.notes.push_back({{}, "and " + std::to_string(files.size() - most) + " more"});
    d.hint = "nothing was removed; move these files away first";
}

/// Called with the lock held; the lock itself is removed last.
bool removeContent(const std::string &folder, const Content &content, diag::Engine &diags) {
    for (const std::string &path : content.files)
        if (const std::string full = file::join(folder, path); path != ".sdfgc/lock" && ::unlink(full.c_str()) != 0) {
            diags.report(diag::Id::BuildFileError, {}, "cannot remove " + full + ": " + std::generic_category().message(errno));
            return false;
        }
    for (auto each = content.folders.rbegin(); each != content.folders.rend(); ++each) // those inside come first
        if (*each != ".sdfgc")
            ::rmdir(file::join(folder, *each).c_str());
    std::error_code ec;
    const bool isCurrent = fs::equivalent(folder, fs::current_path(ec), ec);
    if (removeLocked(folder, isCurrent))
        return true;
    diags.report(diag::Id::BuildFileError, {}, "cannot remove " + folder + ": another process writes to it");
    return false;
}

} // namespace

bool removeBuildFolder(const std::string &path, diag::Engine &diags) {
    const auto refuse = [&](const std::string &why) {
        diags.report(diag::Id::BuildFileError, {}, why);
        return false;
    };
    if (file::isLink(path) || !file::isFolder(path))
        return refuse(path + (file::isLink(path) ? " is a link" : file::exists(path) ? " is not a folder" : " does not exist"));
    const std::string state = file::join(path, ".sdfgc");
    if (file::isLink(state) || !file::readRegular(file::join(state, "program"), 4096))
        return refuse(path + " is not a build folder of sdfgc");
    const auto lock = file::Lock::acquire(file::join(state, "lock"), 0);
    if (!lock)
        return refuse(lock.error());
    if (!*lock) {
        diags.report(diag::Id::FolderBusy, {}, path).hint = "wait for it";
        return false;
    }
    removeTemporariesOfKilledRuns(path);
    const Result<Content> content = contentOf(path);
    if (!content)
        return refuse(content.error());
    const std::set<std::string> written = writtenTo(path);
    std::vector<std::string> others;
    for (const std::string &file : content->files)
        if (!isWrittenByUs(file, written) && !isLinkToLibrary(path, file))
            others.push_back(file);
    if (others.empty())
        return removeContent(path, *content, diags);
    reportOthers(path, others, diags);
    return false;
}

} // namespace sdfgc::build
