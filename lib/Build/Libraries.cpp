// Libraries that generated programs call, found by their files.
#include "Build/Internal.h"
#include "Build/PkgConfig.h"

#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Text.h"

#include <cstdlib>
#include <initializer_list>

namespace sdfgc::build {
namespace {

bool anyHolds(const std::vector<std::string> &folders, const std::string &name) {
    for (const std::string &folder : folders)
        if (file::exists(file::join(folder, name)))
            return true;
    return false;
}

/// The folders from environment variables, then those of the compiler.
std::vector<std::string> searched(std::initializer_list<const char *> variables, const std::vector<std::string> &folders) {
    std::vector<std::string> all;
    for (const char *variable : variables)
        if (const char *value = std::getenv(variable))
            for (std::string &folder : pathList(value))
                all.push_back(std::move(folder));
    all.insert(all.end(), folders.begin(), folders.end());
    return all;
}

/// Words that begin with `flag`, with it removed.
std::vector<std::string> values(const std::vector<std::string> &words, std::string_view flag) {
    std::vector<std::string> out;
    for (const std::string &w : words)
        if (w.starts_with(flag))
            out.push_back(w.substr(flag.size()));
    return out;
}

/// The folders of pkg-config files.
std::vector<std::string> packageFolders(const Compiler &compiler) {
    std::vector<std::string> folders = searched({"PKG_CONFIG_PATH"}, {});
    for (const std::string &folder : compiler.libraryFolders)
        folders.push_back(file::join(folder, "pkgconfig"));
    folders.emplace_back("/usr/share/pkgconfig");
    return folders;
}

/// Removes the names of packages built for another MPI than the one that is linked.
std::vector<std::string> forThisMpi(std::vector<std::string> names, const std::vector<std::string> &folders) {
    const std::optional<PkgConfig> mpi = readPkgConfig(text::words(platform::library("mpi")->pkgConfig), folders);
    const bool isMpich = mpi && !values(mpi->linkFlags, "-lmpich").empty();
    std::erase_if(names, [&](const std::string &name) { return name.ends_with(isMpich ? "-openmpi" : "-mpich"); });
    return names;
}

/// Flags from a library's pkg-config file, if it has one; the folders in it are also searched.
void describeByPkgConfig(Library &lib, const platform::Library &known, Compiler &compiler) {
    const std::vector<std::string> folders = packageFolders(compiler);
    const std::optional<PkgConfig> found = readPkgConfig(forThisMpi(text::words(known.pkgConfig), folders), folders);
    if (!found)
        return;
    lib.compileFlags = found->compileFlags;
    lib.linkFlags = found->linkFlags;
    for (std::string &folder : values(found->compileFlags, "-I"))
        compiler.includeFolders.push_back(std::move(folder));
    for (std::string &folder : values(found->linkFlags, "-L"))
        compiler.libraryFolders.push_back(std::move(folder));
}

} // namespace

Library findLibrary(const std::string &name, const Compiler &given) {
    Library lib;
    lib.name = name;
    Compiler compiler = given;
    const platform::Library *known = platform::library(name);
    const bool isLinked = !known || known->linking == platform::Linking::ByName;
    if (isLinked)
        lib.linkFlags = {"-l" + name};
    if (known && !known->pkgConfig.empty())
        describeByPkgConfig(lib, *known, compiler);
    lib.package = platform::packageOf(name);
    const std::string header(known ? known->header : std::string_view());
    if (!header.empty() && !anyHolds(searched({"CPATH", "CPLUS_INCLUDE_PATH"}, compiler.includeFolders), header)) {
        lib.missing = "the header " + header;
        return lib;
    }
    if (!isLinked)
        return lib;
    const std::vector<std::string> folders = searched({"LIBRARY_PATH"}, compiler.libraryFolders);
    for (const std::string &linked : values(lib.linkFlags, "-l"))
        if (!anyHolds(folders, "lib" + linked + ".so") && !anyHolds(folders, "lib" + linked + ".a"))
            lib.missing = "lib" + linked + ".so";
    return lib;
}

} // namespace sdfgc::build
