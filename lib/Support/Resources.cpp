#include "sdfgc/Support/Resources.h"

#include "Trees.h" // made by CMake

#include <cstdlib>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

namespace sdfgc {
namespace {

std::string parentOf(const std::string &path) {
    std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// The path of the shared library that this code is part of; of an executable it says too little.
std::string libraryPath() {
    Dl_info info{};
    if (!::dladdr(reinterpret_cast<const void *>(&parentOf), &info) || !info.dli_fname || *info.dli_fname != '/')
        return "";
    const std::unique_ptr<char, decltype(&std::free)> path(::realpath(info.dli_fname, nullptr), &std::free);
    return path ? path.get() : "";
}

std::vector<std::string> searchFolders() {
    if (const char *home = std::getenv("SDFGC_HOME"); home && *home)
        return {home};
    std::vector<std::string> folders;
    const std::string executable = executablePath(), library = libraryPath();
    for (const std::string &binary : {executable, library == executable ? std::string() : library}) {
        if (binary.empty())
            continue;
        folders.push_back(parentOf(parentOf(binary)) + "/share/sdfgc");
        if (binary.rfind(SDFGC_BUILD_TREE "/", 0) == 0)
            folders.push_back(SDFGC_SOURCE_TREE);
    }
    return folders;
}

} // namespace

std::string executablePath() {
    std::string path(4096, '\0');
    ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    if (length <= 0 || static_cast<std::size_t>(length) == path.size())
        return {};
    path.resize(static_cast<std::size_t>(length));
    return path;
}

std::optional<std::string> findResource(std::string_view kind, std::string_view name) {
    for (const std::string &folder : searchFolders()) {
        std::string path = folder + "/" + std::string(kind);
        if (!name.empty())
            path += "/" + std::string(name);
        if (::access(path.c_str(), R_OK) == 0)
            return path;
    }
    return std::nullopt;
}

std::string resourceFolders() {
    std::string list;
    for (const std::string &folder : searchFolders())
        list += (list.empty() ? "" : ", ") + folder;
    return list;
}

} // namespace sdfgc
