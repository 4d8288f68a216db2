#include "sdfgc/Build/Folder.h"

#include <cstdio>

namespace sdfgc::build {
namespace {

/// What sdfgc writes into below a build folder. Nothing else is looked at: people may keep their own build trees in it.
constexpr const char *kOurFolders[] = {".sdfgc", "src", "include", "lib", "map", "python", "runtime-headers"};
constexpr int kDeepest = 8; // levels below these; sdfgc itself writes four

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

} // namespace

std::string Folder::statePath(const std::string &name) const { return file::join(path_, ".sdfgc/" + name); }

std::optional<Folder> Folder::open(const std::string &path, const std::string &name, diag::Engine &diags,
                                   const FolderOptions &options) {
    const std::string marker = file::join(path, ".sdfgc/program");
    // The marker is written before any other file, so a project without one is not from a run that has just begun.
    if (file::exists(file::join(path, "CMakeLists.txt")) && !file::exists(marker)) {
        diags.report(diag::Id::FolderNotOurs, {}, path);
        return std::nullopt;
    }
    auto fileError = [&](const std::string &message) {
        diags.report(diag::Id::BuildFileError, {}, message);
        return std::nullopt;
    };
    if (const auto made = file::makeFolderInside(path, ".sdfgc"); !made)
        return fileError(made.error());
    auto lock = file::Lock::acquire(file::join(path, ".sdfgc/lock"), options.waitSeconds, [&](const std::string &holder) {
        if (options.announceWait)
            sayWaiting(path, holder);
    });
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
    if (!owner)
        if (const auto claimed = file::writeAtomic(marker, name + "\n", file::Links::Replace); !claimed)
            return fileError(claimed.error());
    file::removeTemporaries(path);
    for (const char *ours : kOurFolders)
        if (const std::string folder = file::join(path, ours); !file::isLink(folder))
            removeTemporariesBelow(folder, kDeepest);
    return Folder(path, name, std::move(**lock));
}

} // namespace sdfgc::build
