// A visitor of Fields.h: do two maps agree in all attributes except the listed ones?
#include "Fields.h"

#include "sdfgc/Serialize/SameMap.h"

#include <algorithm>

namespace sdfgc::serialize {
namespace {

struct Equality {
    const std::vector<std::string_view> &keys; // the ones to ignore
    bool holds = true;

    template <class T> void field(std::string_view key, const T &a, const T &b) {
        if (holds && std::find(keys.begin(), keys.end(), key) == keys.end())
            holds = a == b;
    }
    template <class T> void identifier(std::string_view key, const T &a, const T &b) { field(key, a, b); }
    template <class T> void number(std::string_view key, const T &a, const T &b) { field(key, a, b); }
    template <class T> void meta(std::string_view key, const T &a, const T &b) { field(key, a, b); }
};

} // namespace

bool sameBut(const ir::MapEntry &a, const ir::MapEntry &b, const std::vector<std::string_view> &keys) {
    Equality equality{keys};
    mapFields(equality, a, b);
    return equality.holds;
}

} // namespace sdfgc::serialize
