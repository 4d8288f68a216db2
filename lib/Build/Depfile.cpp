#include "Build/Depfile.h"

#include <set>

namespace sdfgc::build {

std::vector<std::string> parseDepfile(std::string_view text) {
    std::vector<std::string> names;
    std::set<std::string> seen;
    std::string name;
    bool target = true; // before the colon
    auto end = [&] {
        if (!name.empty() && name.back() == ':' && target)
            target = false;
        else if (!name.empty() && !target && seen.insert(name).second)
            names.push_back(name);
        name.clear();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (c == '\\' && (next == '\n' || next == '\r')) {
            end();
            i += next == '\r' ? 2 : 1;
        } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
            name += next;
            ++i;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            end();
            if (c == '\n' && !target)
                return names; // the remaining rules are for -MP
        } else {
            name += c;
        }
    }
    end();
    return names;
}

} // namespace sdfgc::build
