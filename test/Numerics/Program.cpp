#include "Program.h"

#include "sdfgc/Driver/Driver.h"
#include "sdfgc/Interpret/Interpret.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <dlfcn.h>
#include <sstream>
#include <utility>

namespace sdfgc::test {

std::size_t Tensor::Content::position(const Index &i) const {
    int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
        at += i.at(d) * strides[d];
    return static_cast<std::size_t>(at);
}

void Tensor::each(const std::function<void(const Index &)> &f) const {
    Index i(shape().size(), 0);
    for (int64_t n : shape())
        if (n == 0)
            return;
    while (true) {
        f(i);
        std::size_t d = i.size();
        while (d > 0 && ++i[d - 1] == shape()[d - 1])
            i[--d] = 0;
        if (d == 0)
            return;
    }
}

NodeBuilder &NodeBuilder::in(const std::string &connector, const Tensor &t, const std::string &subset) {
    Memlet m = subset.empty() ? Memlet::simple(Name(t.name()), graph_.g.desc(Name(t.name()))->fullSubset())
                              : memlet(t.name() + "[" + subset + "]");
    graph_.s->connect(graph_.access(t.name()), {}, node_, Name(connector), std::move(m));
    return *this;
}

NodeBuilder &NodeBuilder::out(const std::string &connector, const Tensor &t, const std::string &subset, const std::string &wcr) {
    Memlet m = subset.empty() ? Memlet::simple(Name(t.name()), graph_.g.desc(Name(t.name()))->fullSubset())
                              : memlet(t.name() + "[" + subset + "]");
    m.wcr = wcr;
    graph_.s->connect(node_, Name(connector), graph_.access(t.name()), {}, std::move(m));
    return *this;
}

NodeBuilder &NodeBuilder::set(const std::string &property, json::Value v) {
    node_->properties.set(property, std::move(v));
    return *this;
}

namespace {

template <class T> T stored(Number v) { return static_cast<T>(v.real()); }
template <> std::complex<float> stored(Number v) { return std::complex<float>(v); }
template <> std::complex<double> stored(Number v) { return v; }
template <class T> Number loaded(T v) { return static_cast<double>(v); }
template <> Number loaded(std::complex<float> v) { return Number(v); }
template <> Number loaded(std::complex<double> v) { return v; }

/// Calls f with a value of the C++ element type.
template <class F> void withType(Type t, F f) {
    switch (t.scalar()) {
    case ScalarKind::Bool:
        return f(bool());
    case ScalarKind::Int8:
        return f(int8_t());
    case ScalarKind::Int32:
        return f(int32_t());
    case ScalarKind::Int64:
        return f(int64_t());
    case ScalarKind::UInt32:
        return f(uint32_t());
    case ScalarKind::Float32:
        return f(float());
    case ScalarKind::Float64:
        return f(double());
    case ScalarKind::Complex64:
        return f(std::complex<float>());
    case ScalarKind::Complex128:
        return f(std::complex<double>());
    default:
        throw std::runtime_error("no elements of type " + t.str() + " in these tests");
    }
}

std::vector<char> encoded(const Tensor::Content &c) {
    std::vector<char> bytes;
    withType(c.type, [&](auto zero) {
        bytes.resize(c.before.size() * sizeof zero);
        for (std::size_t i = 0; i < c.before.size(); ++i) {
            auto v = stored<decltype(zero)>(c.before[i]);
            std::memcpy(bytes.data() + i * sizeof v, &v, sizeof v);
        }
    });
    return bytes;
}

void decode(Tensor::Content &c, const std::vector<char> &bytes) {
    withType(c.type, [&](auto v) {
        c.after.resize(c.before.size());
        for (std::size_t i = 0; i < c.before.size(); ++i) {
            std::memcpy(&v, bytes.data() + i * sizeof v, sizeof v);
            c.after[i] = loaded(v);
        }
    });
}

/// Small integers that differ between neighbouring elements, the same in every run.
void fill(Tensor::Content &c) {
    uint32_t state = 12345;
    for (char ch : c.name)
        state = state * 31 + static_cast<unsigned char>(ch);
    auto next = [&state](int n) {
        state = state * 1664525u + 1013904223u;
        return static_cast<double>((state >> 16) % static_cast<unsigned>(n));
    };
    for (Number &v : c.before)
        v = c.type.isBool()       ? next(2)
            : c.type.isUnsigned() ? next(5)
            : c.type.isComplex()  ? Number(next(7) - 3, next(5) - 2)
                                  : next(9) - 4;
}

using Word = uintptr_t;
/// Arguments are pointers and 64-bit integers, so each is one word, wherever the calling convention puts it.
template <std::size_t... I> void *callWords(void *f, const std::vector<Word> &w, std::index_sequence<I...>) {
    return reinterpret_cast<void *(*)(decltype(static_cast<Word>(I))...)>(f)(w[I]...);
}
template <std::size_t N = 0> void *callWords(void *f, const std::vector<Word> &w) {
    if (w.size() == N)
        return callWords(f, w, std::make_index_sequence<N>());
    if constexpr (N < 120)
        return callWords<N + 1>(f, w);
    throw std::runtime_error("a program with too many arguments");
}

} // namespace

Index Program::evaluate(const std::string &list) const {
    std::map<Name, sym::Expr> values;
    for (const auto &[name, value] : symbols_)
        values[Name(name)] = value;
    Index out;
    for (const std::string &part : split(list, ','))
        out.push_back(sym::substitute(expr(part), values).asInt().value());
    return out;
}

void Program::symbol(const std::string &name, int64_t value) {
    graph_.symbol(name);
    symbols_[name] = value;
}

Tensor Program::array(const std::string &name, const std::string &shape, Type t, const std::string &strides) {
    DataDesc &d = graph_.array(name, shape, t);
    auto c = std::make_shared<Tensor::Content>();
    c->name = name;
    c->type = t;
    c->shape = evaluate(shape);
    int64_t size = 1;
    if (strides.empty()) {
        c->strides.resize(c->shape.size());
        for (std::size_t i = c->shape.size(); i-- > 0; size *= c->shape[i])
            c->strides[i] = size;
    } else {
        c->strides = evaluate(strides);
        d.strides.clear();
        for (const std::string &s : split(strides, ','))
            d.strides.push_back(expr(s));
        for (std::size_t i = 0; i < c->shape.size(); ++i)
            size += (c->shape[i] - 1) * c->strides[i];
        d.totalSize = size;
    }
    c->before.resize(static_cast<std::size_t>(size));
    fill(*c);
    Tensor tensor(c);
    tensors_.emplace(name, tensor);
    return tensor;
}

NodeBuilder Program::node(const std::string &classPath) {
    if (!first_) {
        State *before = graph_.s;
        State *s = graph_.state("state" + std::to_string(graph_.g.blocks().size()));
        graph_.g.connect(before, s);
    }
    first_ = false;
    LibraryNode *n = graph_.library(classPath, classPath.substr(classPath.rfind('.') + 1));
    if (mode_ == Mode::Pure)
        n->implementation = "pure";
    return {graph_, n};
}

namespace {

std::string text(const Index &i) {
    std::ostringstream out;
    for (std::size_t d = 0; d < i.size(); ++d)
        out << (d ? ", " : "") << i[d];
    return "[" + out.str() + "]";
}

} // namespace

void Program::expect(const Tensor &t, std::function<Number(const Index &)> value, double tolerance) {
    checks_.push_back([t, value = std::move(value), tolerance](std::vector<std::string> &wrong) {
        double largest = 1;
        t.each([&](const Index &i) { largest = std::max(largest, std::abs(value(i))); });
        bool reported = false;
        t.each([&](const Index &i) {
            Number is = t.content().after[t.content().position(i)], should = value(i);
            if (reported || std::abs(is - should) <= tolerance * largest)
                return;
            std::ostringstream out;
            out << t.name() << text(i) << " is " << is << ", not " << should;
            wrong.push_back(out.str());
            reported = true;
        });
    });
}

void Program::check(std::function<bool()> condition, std::string what) {
    checks_.push_back([condition = std::move(condition), what = std::move(what)](std::vector<std::string> &wrong) {
        if (!condition())
            wrong.push_back(what);
    });
}

std::string Program::build(const std::string &folder) {
    graph_.g.renumber();
    diag::Engine diags;
    const std::string file = file::join(folder, name_ + ".sdfg");
    if (!serialize::writeFile(graph_.g, file, diags))
        return "the graph cannot be written";
    std::vector<std::string> arguments{"build", file, "-o", file::join(folder, "build"), "--cflags", "-O0"};
    if (mode_ == Mode::Emulated)
        arguments.insert(arguments.end(), {"--target", "cuda", "--emulate"});
    std::ostringstream out, err;
    driver::Environment environment{out, err, false};
    return driver::run(arguments, environment) == driver::Done ? "" : err.str();
}

std::string Program::call(const std::string &library) {
    void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return dlerror();
    auto function = [&](const std::string &prefix) { return dlsym(handle, (prefix + name_).c_str()); };
    std::vector<Word> symbols;
    for (const auto &[name, value] : symbols_)
        symbols.push_back(static_cast<Word>(value));
    void *state = callWords(function("__dace_init_"), symbols);
    if (!state)
        return "the program cannot be initialised";
    std::vector<std::vector<char>> memory;
    std::vector<Word> arguments{reinterpret_cast<Word>(state)};
    for (const auto &[name, t] : tensors_) {
        memory.push_back(encoded(t.content()));
        arguments.push_back(reinterpret_cast<Word>(memory.back().data()));
    }
    arguments.insert(arguments.end(), symbols.begin(), symbols.end());
    callWords(function("__program_"), arguments);
    std::string failed;
    if (reinterpret_cast<int (*)(void *)>(dlsym(handle, (name_ + "_error").c_str()))(state) != 0)
        failed = reinterpret_cast<const char *(*)(void *)>(dlsym(handle, (name_ + "_error_message").c_str()))(state);
    callWords(function("__dace_exit_"), {reinterpret_cast<Word>(state)});
    dlclose(handle);
    if (!failed.empty())
        return "the call failed: " + failed;
    std::size_t at = 0;
    for (const auto &[name, t] : tensors_)
        decode(t.content(), memory[at++]);
    return "";
}

std::string Program::buildAndCall() {
    auto folder = file::TemporaryFolder::create("sdfgc-numerics");
    if (!folder)
        return folder.error();
    if (std::string why = build(folder->path()); !why.empty())
        return why;
    return call(file::join(folder->path(), "build/lib/lib" + name_ + ".so"));
}

std::string Program::interpret() {
    graph_.g.renumber();
    diag::Engine diags;
    const auto program = sdfgc::interpret::PreparedProgram::prepare(std::move(graph_.sdfg), {}, diags);
    std::string why;
    for (const diag::Diagnostic &d : diags.sorted())
        why += d.place.element + ": " + d.message + "\n";
    if (!program)
        return why;
    std::map<std::string, std::vector<char>> memory;
    for (const auto &[name, t] : tensors_) {
        memory[name] = encoded(t.content());
        program->bind(Name(name), memory[name].data());
    }
    for (const auto &[name, value] : symbols_)
        program->set(Name(name), value);
    for (const sdfgc::interpret::Report &r : program->run())
        why += r.element + ": " + r.what + "\n";
    for (const auto &[name, t] : tensors_)
        decode(t.content(), memory[name]);
    return why;
}

std::vector<std::string> Program::run() {
    if (std::string why = mode_ == Mode::Interpreted ? interpret() : buildAndCall(); !why.empty())
        return {why};
    std::vector<std::string> wrong;
    for (const auto &check : checks_)
        check(wrong);
    return wrong;
}

namespace {

void runIn(Mode mode, const std::string &name, const std::function<void(Program &)> &fill) {
    Program p(name, mode);
    fill(p);
    const char *how = mode == Mode::Pure          ? ", pure"
                      : mode == Mode::Emulated    ? ", emulated"
                      : mode == Mode::Interpreted ? ", interpreted"
                                                  : "";
    INFO(name << how);
    std::string wrong;
    for (const std::string &line : p.run())
        wrong += line + "\n";
    CHECK(wrong == "");
}

} // namespace

void compiled(const std::string &name, const std::function<void(Program &)> &fill) {
    runIn(Mode::Default, name, fill);
    runIn(Mode::Pure, name, fill);
    runIn(Mode::Interpreted, name, fill);
}

void emulated(const std::string &name, const std::function<void(Program &)> &fill) { runIn(Mode::Emulated, name, fill); }

Number sum(int64_t n, const std::function<Number(int64_t)> &f) {
    Number total = 0;
    for (int64_t i = 0; i < n; ++i)
        total += f(i);
    return total;
}

} // namespace sdfgc::test
