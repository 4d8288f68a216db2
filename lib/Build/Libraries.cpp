// Libraries that generated programs call, looked up as files.
#include "Build/Internal.h"

#include "sdfgc/Platform/Libraries.h"
#include "sdfgc/Support/File.h"

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

/// The folders that environment variables add, then those of the compiler.
std::vector<std::string> searched(std::initializer_list<const char *> variables, const std::vector<std::string> &folders) {
    std::vector<std::string> all;
    for (const char *variable : variables)
        if (const char *value = std::getenv(variable))
            for (std::string &folder : pathList(value))
                all.push_back(std::move(folder));
    all.insert(all.end(), folders.begin(), folders.end());
    return all;
}

} // namespace

Library findLibrary(const std::string &name, const Compiler &compiler) {
    Library lib;
    lib.name = name;
    const platform::Library *known = platform::library(name);
    const bool isLinked = !known || known->linking == platform::Linking::ByName;
    if (isLinked)
        lib.linkFlags = {"-l" + name};
    lib.package = platform::packageOf(name);
    const std::string header(known ? known->header : std::string_view());
    if (!header.empty() && !anyHolds(searched({"CPATH", "CPLUS_INCLUDE_PATH"}, compiler.includeFolders), header)) {
        lib.missing = "the header " + header;
        return lib;
    }
    if (!isLinked)
        return lib;
    const std::vector<std::string> folders = searched({"LIBRARY_PATH"}, compiler.libraryFolders);
    if (!anyHolds(folders, "lib" + name + ".so") && !anyHolds(folders, "lib" + name + ".a"))
        lib.missing = "lib" + name + ".so";
    return lib;
}

} // namespace sdfgc::build
