// Values of options of every type, for tests that walk the tables of options.
#pragma once

#include "sdfgc/Pass/CompileOptions.h"

#include <deque>
#include <string>
#include <type_traits>
#include <vector>

namespace sdfgc::test {

/// Values that an option of a type can have, several of each.
template <class T> std::deque<T> samples() {
    if constexpr (Choice<T>) {
        std::deque<T> out;
        for (const std::string &w : wordsOf<T>())
            out.push_back(parseWord<T>(w).value());
        return out;
    } else if constexpr (std::is_same_v<T, bool>) {
        return {false, true};
    } else if constexpr (std::is_same_v<T, int>) {
        return {0, 7};
    } else if constexpr (std::is_same_v<T, Positive>) {
        return {1, 7};
    } else if constexpr (std::is_same_v<T, double>) {
        return {0.25, 5, 1e-9};
    } else if constexpr (std::is_same_v<T, pass::Target>) {
        return {T("cpu"), T("cuda"), T("hip")};
    } else if constexpr (std::is_same_v<T, pass::Processors>) {
        return {T(), {{"portable"}}, {{"x86-64-v2", "native"}}};
    } else if constexpr (std::is_same_v<T, std::string>) {
        return {"", "/a b", "-O2 -g"};
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        return {{}, {"a"}, {"sm_80", "sm_90"}};
    } else {
        std::deque<T> out{T()};
        for (const typename T::value_type &value : samples<typename T::value_type>())
            out.emplace_back(value);
        return out;
    }
}

} // namespace sdfgc::test
