#include "Build/PkgConfig.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Text.h"

#include <map>
#include <sstream>

namespace sdfgc::build {
namespace {

using Variables = std::map<std::string, std::string>;

/// Variables are replaced in order: earlier ones already have their values.
std::string replaced(std::string_view text, const Variables &variables) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = text.find("${", at), end = text.find('}', begin);
        if (begin == std::string_view::npos || end == std::string_view::npos)
            return out + std::string(text.substr(at));
        out += text.substr(at, begin - at);
        if (const auto v = variables.find(std::string(text.substr(begin + 2, end - begin - 2))); v != variables.end())
            out += v->second;
        at = end + 1;
    }
    return out;
}

} // namespace

PkgConfig parsePkgConfig(const std::string &content, const std::string &folder) {
    PkgConfig out;
    Variables variables{{"pcfiledir", folder}};
    std::istringstream lines(content);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t mark = line.find_first_of("=:");
        if (line.empty() || line[0] == '#' || mark == std::string::npos)
            continue;
        const std::string_view key = text::trimmed(std::string_view(line).substr(0, mark));
        const std::string value = replaced(text::trimmed(std::string_view(line).substr(mark + 1)), variables);
        if (line[mark] == '=')
            variables[std::string(key)] = value;
        else if (key == "Cflags")
            out.compileFlags = text::words(value);
        else if (key == "Libs")
            out.linkFlags = text::words(value);
    }
    return out;
}

std::optional<PkgConfig> readPkgConfig(const std::vector<std::string> &names, const std::vector<std::string> &folders) {
    for (const std::string &name : names)
        for (const std::string &folder : folders)
            if (const auto content = file::read(file::join(folder, name + ".pc")))
                return parsePkgConfig(*content, folder);
    return std::nullopt;
}

} // namespace sdfgc::build
