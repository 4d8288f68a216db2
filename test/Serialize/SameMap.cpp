#include "sdfgc/Serialize/SameMap.h"
#include "Serialize/Fields.h"

#include <catch2/catch.hpp>

using namespace sdfgc;

namespace {

void change(bool &v) { v = !v; }
void change(int64_t &v) { ++v; }
void change(std::string &v) { v += "other"; }
void change(sym::Expr &v) { v = sym::Expr::symbol("other"); }
void change(std::optional<int> &v) { v = v.value_or(0) + 1; }
template <class T> void change(std::vector<T> &v) { v.emplace_back(); }
template <class T> void change(std::optional<std::vector<T>> &v) { v = std::vector<T>(1); }
template <class T>
requires std::is_enum_v<T>
void change(T &v) { v = static_cast<T>(static_cast<int>(v) + 1); }

/// Changes one attribute after another.
struct Changer {
    ir::MapEntry &a, &b;
    int count = 0;

    template <class T> void field(std::string_view key, T &v) {
        const T kept = v;
        change(v);
        INFO(key);
        CHECK_FALSE(serialize::sameBut(a, b, {}));
        CHECK(serialize::sameBut(a, b, {key}));
        v = kept;
        ++count;
    }
    template <class T> void identifier(std::string_view key, T &v) { field(key, v); }
    template <class T> void number(std::string_view key, T &v) { field(key, v); }
    template <class T> void meta(std::string_view key, T &v) { field(key, v); }
};

} // namespace

TEST_CASE("two maps are the same when every attribute is, but for those that do not count") {
    ir::MapEntry a, b;
    CHECK(serialize::sameBut(a, b, {}));
    Changer changer{a, b};
    serialize::mapFields(changer, b);
    CHECK(changer.count > 20);
}
