#include "sdfgc/Build/Folder.h"

#include "Build/Internal.h"

#include "sdfgc/Package/Package.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace sdfgc::build {

namespace {

/// The parts of a build folder that sdfgc writes to. Nothing else is examined: people may keep their own build trees in it.
constexpr const char *kOurFolders[] = {".sdfgc", "src", "include", "lib", "map", "python", "runtime-headers"};
constexpr int kDeepest = 8; // levels below these; sdfgc itself uses four

void removeTemporariesBelow(const std::string &folder, int levels) {
    file::removeTemporaries(folder);
    const Result<std::vector<std::string>> names = file::list(folder);
    if (!names || levels == 0)
        return;
    for (const std::string &name : *names)
        if (const std::string path = file::join(folder, name); file::isFolder(path) && !file::isLink(path))
            removeTemporariesBelow(path, levels - 1);
}

void sayWaiting(const std::string &folder, const std::string &holder) {
    std::fprintf(stderr, "sdfgc: waiting for %s, which is working in %s\n", holder.c_str(), folder.c_str());
}

/// `.sdfgc/origin`: the path of the graph, then the C interface, one line each.
constexpr const char *kOrigin = ".sdfgc/origin";

std::string originText(const FolderOptions &o) { return o.origin + "\n" + o.signature + "\n"; }

/// The graph of the program in the folder, if it differs from that of the program to be written.
std::optional<std::string> otherGraph(const std::string &folder, const FolderOptions &options) {
    const Result<std::string> text = file::readRegular(file::join(folder, kOrigin), 1 << 20);
    if (!text || options.origin.empty())
        return std::nullopt;
    const std::size_t end = text->find('\n');
    const std::string origin = text->substr(0, end);
    if (origin == options.origin || *text == originText({.origin = origin, .signature = options.signature}))
        return std::nullopt;
    return origin;
}

/// Locks a folder, which is created if necessary. Another run may remove the folder (Cache.h) before the lock is acquired.
Result<std::optional<file::Lock>> lockFolder(const std::string &path, const FolderOptions &options) {
    constexpr int most = 100;
    const std::string state = file::join(path, ".sdfgc");
    for (int attempt = 1;; ++attempt) {
        if (attempt > 1)
            std::this_thread::sleep_for(std::chrono::microseconds(100 * attempt));
        if (const auto made = file::makeFolderInside(path, ".sdfgc"); !made && attempt < most)
            continue;
        else if (!made)
            return Failure{made.error()};
        auto lock = file::Lock::acquire(file::join(state, "lock"), options.waitSeconds, [&](const std::string &holder) {
            if (options.announceWait)
                sayWaiting(path, holder);
        });
        if (lock || attempt >= most) // otherwise the folder was removed in between, and may exist again by now
            return lock;
    }
}

/// The files that already exist in a folder that sdfgc has not written to so far.
std::vector<std::string> foreignFiles(const std::string &folder, std::vector<std::string> files) {
    files.emplace_back("CMakeLists.txt");
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    std::erase_if(files, [&](const std::string &f) {
        const std::string full = file::join(folder, f);
        return !file::exists(full) || file::isFolder(full); // a folder cannot be overwritten; this is reported by the attempt
    });
    return files;
}

} // namespace

void removeTemporariesOfKilledRuns(const std::string &folder) {
    file::removeTemporaries(folder);
    for (const char *ours : kOurFolders)
        if (const std::string below = file::join(folder, ours); !file::isLink(below))
            removeTemporariesBelow(below, kDeepest);
}

std::string Folder::origin(const std::string &path) {
    const Result<std::string> text = file::readRegular(file::join(path, kOrigin), 1 << 20);
    return text ? text->substr(0, text->find('\n')) : "";
}

Result<void> Folder::noteOrigin(const FolderOptions &options) const {
    const Result<bool> written = file::writeIfChanged(file::join(path_, kOrigin), originText(options), file::Links::Replace);
    return written ? Result<void>() : Failure{written.error()};
}

std::string Folder::statePath(const std::string &name) const { return file::join(path_, ".sdfgc/" + name); }

std::optional<Folder> Folder::open(const std::string &path, const std::string &name, diag::Engine &diags,
                                   const FolderOptions &options) {
    const std::string marker = file::join(path, ".sdfgc/program");
    // The marker is written before any other file, so a folder without one does not belong to a run that has just started.
    const std::vector<std::string> foreign = foreignFiles(path, options.files);
    if (!foreign.empty() && !file::exists(marker)) {
        package::reportForeign(path, foreign, diags);
        return std::nullopt;
    }
    auto fileError = [&](const std::string &message) {
        diags.report(diag::Id::BuildFileError, {}, message);
        return std::nullopt;
    };
    auto lock = lockFolder(path, options);
    if (!lock)
        return fileError(lock.error());
    if (!*lock) {
        diags.report(diag::Id::FolderBusy, {}, path);
        return std::nullopt;
    }
    const Result<std::string> owner = file::readRegular(marker, 4096);
    if (owner && *owner != name + "\n") {
        diags.report(diag::Id::FolderOfOther, {}, path, owner->substr(0, owner->find('\n')));
        return std::nullopt;
    }
    if (const std::optional<std::string> other = otherGraph(path, options)) {
        diag::Diagnostic &d = diags.report(diag::Id::FolderOfOther, {}, path, name);
        d.notes.push_back({{}, "of " + *other + ", which has different arguments"});
        d.hint = "give another folder with -o, or another name with --name, or remove it";
        return std::nullopt;
    }
    if (!owner)
        if (const auto claimed = file::writeAtomic(marker, name + "\n", file::Links::Replace); !claimed)
            return fileError(claimed.error());
    removeTemporariesOfKilledRuns(path);
    return Folder(path, name, std::move(**lock));
}

} // namespace sdfgc::build
