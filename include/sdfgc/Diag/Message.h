// The text of a diagnostic: the message and the hint of a kind with its arguments inserted. Number and types of the
// arguments are checked against the row of the kind when sdfgc is compiled, by fmt, as in a call of fmt::format.
#pragma once

#include "sdfgc/Diag/Kinds.h"
#include "sdfgc/Support/Name.h"

#include <concepts>
#include <fmt/core.h>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace sdfgc::diag {

/// An argument of a message: text, or an integer. Refers to the text, and must not outlive the call that it is created
/// for.
class Argument {
public:
    Argument(const std::string &text) : text_(text) {}
    Argument(std::string_view text) : text_(text) {}
    Argument(const char *text) : text_(text) {}
    Argument(Name name) : text_(name.view()) {}
    template <std::integral Number>
    requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) Argument(Number n)
        : number_(static_cast<int64_t>(n)), isNumber_(true) {}

    bool isNumber() const { return isNumber_; }
    int64_t number() const { return number_; }
    std::string_view text() const { return text_; }

private:
    std::string_view text_;
    int64_t number_ = 0;
    bool isNumber_ = false;
};

/// A kind with the types of its arguments. Created from an Id when sdfgc is compiled, and only if message and hint of
/// that row can be formatted with arguments of these types and use each of them.
template <class... Args> class MessageKind {
public:
    consteval MessageKind(Id id) : id_(id) {
        if (argumentCount(id) != sizeof...(Args))
            throw "the message of this kind takes another number of arguments";
        (void)fmt::format_string<Formatted<Args>...>(info(id).message);
        (void)fmt::format_string<Formatted<Args>...>(info(id).hint);
    }
    Id id() const { return id_; }

private:
    template <class Arg> using Formatted = std::conditional_t<std::is_integral_v<Arg>, int64_t, std::string_view>;
    Id id_;
};

class Message {
public:
    /// Truncates each text to 1000 bytes, except in notes, which contain compiler output.
    template <class... Args>
    Message(MessageKind<std::type_identity_t<Args>...> kind, const Args &...args) : Message(kind.id(), {Argument(args)...}) {}

    Id id;
    std::string text, hint;

private:
    Message(Id id, std::initializer_list<Argument> args);
};

} // namespace sdfgc::diag
