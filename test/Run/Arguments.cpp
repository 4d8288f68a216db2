#include "sdfgc/Run/Arguments.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/File.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace sdfgc;
using namespace sdfgc::run;

namespace {

sym::Expr expr(const char *text) { return *sym::parse(text).expr; }

/// A program and the command line's description of its arguments.
struct Program {
    tree::Module module;
    ArgumentOptions options;
    diag::Engine diags;
    file::TemporaryFolder folder = std::move(*file::TemporaryFolder::create("sdfgc-run-test"));

    ir::DataDesc &array(const char *name, Type type, std::vector<sym::Expr> shape) {
        auto desc = std::make_shared<ir::DataDesc>(ir::DataDesc::array(type, std::move(shape)));
        module.params.push_back({.name = Name(name), .cName = Name(name), .type = type, .desc = desc});
        return *desc;
    }
    void scalar(const char *name, Type type) {
        module.params.push_back({.name = Name(name),
                                 .cName = Name(name),
                                 .type = type,
                                 .desc = std::make_shared<ir::DataDesc>(ir::DataDesc::scalar(type))});
    }
    void symbol(const char *name, Type type = ScalarKind::Int64) {
        module.params.push_back({.name = Name(name), .cName = Name(name), .type = type});
        module.init.push_back(module.params.back());
    }
    std::string file(const char *name, NpyArray a) {
        const std::string path = file::join(folder.path(), name);
        REQUIRE(file::writeAtomic(path, npyText(a)));
        return path;
    }
    std::optional<Arguments> operator()(std::vector<Given> given) {
        options.given = std::move(given);
        diags.clear();
        return prepare(module, options, diags);
    }
    /// The first error of a call.
    std::string problem(std::vector<Given> given) {
        CHECK_FALSE((*this)(std::move(given)));
        return diags.all().empty() ? "" : diags.all()[0].message;
    }
};

/// The elements in row-major order, as text.
std::string text(const Argument &a) {
    const NpyArray all = gather(a, a.data);
    std::string out;
    for (std::size_t at = 0; at < all.data.size(); at += static_cast<std::size_t>(a.dtype.size))
        out += (out.empty() ? "" : " ") +
               textOf(a.type, std::string_view(all.data).substr(at, static_cast<std::size_t>(a.dtype.size)));
    return out;
}

} // namespace

TEST_CASE("generators and numbers fill arrays of every type") {
    Program p;
    p.array("A", ScalarKind::Float64, {expr("N")});
    p.array("B", ScalarKind::Bool, {expr("N")});
    p.array("C", ScalarKind::Complex64, {expr("N")});
    p.array("I", ScalarKind::Int8, {expr("2*N")});
    p.scalar("s", ScalarKind::Float32);
    p.symbol("N");
    const auto a = p({{"N", "3"}, {"A", "range"}, {"B", "range"}, {"C", "1+2j"}, {"I", "-7"}, {"s", "0.5"}});
    REQUIRE(a);
    CHECK(text(*a->find("A")) == "0 1 2");
    CHECK(text(*a->find("B")) == "False True False");
    CHECK(text(*a->find("C")) == "(1+2j) (1+2j) (1+2j)");
    CHECK(text(*a->find("I")) == "-7 -7 -7 -7 -7 -7");
    CHECK(text(*a->find("s")) == "0.5");
    CHECK(text(*a->find("N")) == "3");
    CHECK(a->program == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
    CHECK(a->init == std::vector<std::size_t>{5});
}

TEST_CASE("random numbers lie in their range and do not depend on other arguments") {
    Program p;
    p.array("A", ScalarKind::Float64, {100});
    p.array("I", ScalarKind::Int32, {100});
    const auto a = p({{"A", "random:-2:-1"}, {"I", "random:3:5"}}), b = p({{"A", "random:-2:-1"}, {"I", "zeros"}});
    REQUIRE((a && b));
    CHECK(a->find("A")->data == b->find("A")->data);
    bool three = false, four = false;
    for (std::size_t i = 0; i < 100; ++i) {
        const double x = valueOf(ScalarKind::Float64, std::string_view(a->find("A")->data).substr(i * 8, 8));
        const double k = valueOf(ScalarKind::Int32, std::string_view(a->find("I")->data).substr(i * 4, 4));
        CHECK((x >= -2 && x < -1));
        CHECK((k == 3 || k == 4));
        three = three || k == 3;
        four = four || k == 4;
    }
    CHECK((three && four));
    p.options.seed = 1;
    const auto other = p({{"A", "random:-2:-1"}, {"I", "zeros"}});
    REQUIRE(other);
    CHECK(other->find("A")->data != a->find("A")->data);
    CHECK(p.problem({{"A", "random:2:1"}, {"I", "zeros"}}).find("LOW < HIGH") != std::string::npos);
}

TEST_CASE("strides and padding of the program's array") {
    Program p;
    ir::DataDesc &d = p.array("A", ScalarKind::Int64, {2, expr("N")});
    d.strides = {1, 4};
    d.totalSize = expr("4*N");
    p.symbol("N");
    NpyArray file{{'i', 8}, {2, 3}, {}};
    for (int64_t i = 0; i < 6; ++i)
        file.data.append(reinterpret_cast<const char *>(&i), 8);
    const auto a = p({{"A", p.file("a.npy", file)}});
    REQUIRE(a);
    CHECK(a->symbols.at(Name("N")) == 3);
    const Argument &x = *a->find("A");
    CHECK(x.elements == 12);
    CHECK(x.data.size() == 96);
    CHECK(valueOf(ScalarKind::Int64, std::string_view(x.data).substr(8, 8)) == 3);  // [1, 0]
    CHECK(valueOf(ScalarKind::Int64, std::string_view(x.data).substr(32, 8)) == 1); // [0, 1]
    CHECK(gather(x, x.data).data == file.data);
    d.totalSize = expr("4*N - 4");
    CHECK(p.problem({{"N", "3"}, {"A", "zeros"}}).find("does not fit into its 8 elements") != std::string::npos);
}

TEST_CASE("vectors are one element of the program and several of the file") {
    Program p;
    p.array("V", Type::vector(ScalarKind::Float32, 4), {expr("N")});
    p.symbol("N");
    NpyArray flat{{'f', 4}, {8}, std::string(32, '\0')}, lanes{{'f', 4}, {2, 4}, std::string(32, '\0')};
    for (const NpyArray &file : {flat, lanes}) {
        const auto a = p({{"V", p.file("v.npy", file)}});
        REQUIRE(a);
        CHECK(a->symbols.at(Name("N")) == 2);
        CHECK(gather(*a->find("V"), a->find("V")->data).shape == std::vector<int64_t>{2, 4});
    }
    CHECK(p.problem({{"V", p.file("w.npy", {{'f', 4}, {7}, std::string(28, '\0')})}}).find("elements are vectors of 4") !=
          std::string::npos);
}

TEST_CASE("arguments that are not given") {
    Program p;
    p.array("out", ScalarKind::Float64, {expr("N")});
    p.array("opt", ScalarKind::Float64, {expr("N")}).optional = true;
    p.array("in", ScalarKind::Float64, {expr("N")});
    p.symbol("N");
    p.options.written = {Name("out")};
    CHECK(p.problem({{"N", "2"}}) == "argument `in` has no value");
    CHECK(p.problem({{"in", "zeros"}}) == "argument `N` has no value");
    const auto a = p({{"N", "2"}, {"in", "1"}});
    REQUIRE(a);
    CHECK(text(*a->find("out")) == "0 0");
    CHECK(a->find("opt")->isNull);
    p.options.otherwise = "3";
    const auto b = p({{"N", "2"}});
    REQUIRE(b);
    CHECK(text(*b->find("in")) == "3 3");
    CHECK(text(*b->find("out")) == "3 3");
}

TEST_CASE("what does not fit is an error") {
    Program p;
    p.array("A", ScalarKind::Float64, {expr("N")});
    p.scalar("k", ScalarKind::Int8);
    p.symbol("N");
    const std::string file = p.file("a.npy", {{'f', 8}, {2, 2}, std::string(32, '\0')});
    CHECK(p.problem({{"A", file}, {"k", "1"}}).find("has 2 dimensions, the program's array has 1") != std::string::npos);
    CHECK(p.problem({{"A", "x.npy"}, {"k", "1"}}).find("cannot read x.npy") != std::string::npos);
    CHECK(p.problem({{"A", "words"}, {"k", "1"}}).find("`words` is neither a file .npy, nor a number") != std::string::npos);
    CHECK(p.problem({{"A", "1"}, {"k", "1000"}, {"N", "1"}}).find("`1000` is not a value of type int8") != std::string::npos);
    CHECK(p.problem({{"A", "1"}, {"k", "null"}, {"N", "1"}}).find("only an array can be `null`") != std::string::npos);
    CHECK(p.problem({{"A", "1"}, {"k", "1"}, {"N", "-1"}}).find("its shape would be [-1]") != std::string::npos);
    CHECK(p.problem({{"A", "1"}, {"k", "1"}, {"N", "9000000000000000000"}}).find("its shape would be") != std::string::npos);
    CHECK(p.problem({{"A", "1"}, {"k", "1"}, {"N", "1"}, {"B", "1"}}) == "the program has no argument `B`");
    p.array("f", Type::callback({}, {}), {1});
    CHECK(p.problem({}).find("which cannot be given on a command line") != std::string::npos);
}

TEST_CASE("members of structures are arguments of their own, which a call brings together") {
    Program p;
    const Type inner = Type::structure(Name("inner"), {{Name("f"), ScalarKind::Float32}});
    const Type type = Type::structure(Name("s"), {{Name("k"), ScalarKind::Int32},
                                                  {Name("u"), Type::pointer(ScalarKind::Float64)},
                                                  {Name("o"), Type::pointer(ScalarKind::Float64)},
                                                  {Name("p"), Type::pointer(inner)}});
    ir::DataDesc &s = p.array("S", Type::pointer(type), {1});
    s.kind = ir::DataKind::Structure;
    const auto add = [](ir::DataDesc &to, const char *name, ir::DataDesc d) {
        to.members.emplace_back(Name(name), std::make_unique<ir::DataDesc>(std::move(d)));
        return to.members.back().second.get();
    };
    add(s, "k", ir::DataDesc::scalar(ScalarKind::Int32));
    add(s, "u", ir::DataDesc::array(ScalarKind::Float64, {expr("n")}));
    add(s, "o", ir::DataDesc::array(ScalarKind::Float64, {expr("n")}))->optional = true;
    ir::DataDesc *pointed = add(s, "p", ir::DataDesc::array(Type::pointer(inner), {1}));
    pointed->kind = ir::DataKind::Structure;
    add(*pointed, "f", ir::DataDesc::scalar(ScalarKind::Float32));
    p.symbol("n");
    const auto a = p({{"S.k", "7"}, {"S.u", "range"}, {"S.p.f", "2.5"}, {"n", "3"}});
    REQUIRE(a);
    CHECK(a->program.size() == 2);
    CHECK(text(*a->find("S.u")) == "0 1 2");
    CHECK(a->find("S.o")->isNull);
    CHECK(a->find("S")->data.size() == 32);
    CHECK_FALSE(a->find("S")->isVisible());
    CHECK(a->find("S.k")->isVisible());
    CHECK(valuesOf(p.module).count(Name("S.p.f")));
    CHECK_FALSE(valuesOf(p.module).count(Name("S.f")));

    std::vector<std::string> memory;
    std::vector<char *> places;
    for (const Argument &one : a->all)
        memory.push_back(one.data);
    for (std::size_t k = 0; k < memory.size(); ++k)
        places.push_back(a->all[k].isNull ? nullptr : memory[k].data());
    link(*a, places);
    const auto at = [&](const char *name) { return places[static_cast<std::size_t>(a->find(name) - a->all.data())]; };
    struct {
        int32_t k;
        double *u, *o;
        float *p;
    } passed;
    std::memcpy(&passed, at("S"), sizeof passed);
    CHECK(passed.k == 7);
    CHECK(passed.u[2] == 2);
    CHECK(passed.o == nullptr);
    CHECK(*passed.p == 2.5F);

    passed.k = 8; // what the program writes
    std::memcpy(at("S"), &passed, sizeof passed);
    *passed.p = 3.5F;
    unlink(*a, places);
    CHECK(textOf(ScalarKind::Int32, {at("S.k"), 4}) == "8");
    CHECK(textOf(ScalarKind::Float32, {at("S.p.f"), 4}) == "3.5");
    CHECK(std::string(at("S"), 32) == std::string(32, '\0'));

    CHECK(p.problem({{"S", "1"}}) == "argument `S`: a structure has no value itself");
    p.array("T", Type::pointer(Type::structure(Name("t"), {})), {1}).kind = ir::DataKind::Structure;
    CHECK(p.problem({{"S.k", "7"}, {"S.u", "1"}, {"S.p.f", "1"}, {"n", "1"}, {"T", "1"}}) ==
          "argument `T`: a structure has no value itself"); // nor members to give
    p.module.params.pop_back();
    CHECK(p.problem({{"S.u", "1"}, {"S.p.f", "1"}, {"n", "1"}}) == "argument `S.k` has no value");
    add(s, "missing", ir::DataDesc::scalar(ScalarKind::Int32));
    CHECK(p.problem({}).find("a member of unknown place") != std::string::npos);
}

TEST_CASE("an array of structures can only be missing") {
    Program p;
    p.array("C", Type::pointer(ScalarKind::Float64), {1}).kind = ir::DataKind::ContainerArray;
    CHECK(p.problem({{"C", "1"}}).find("is an array of structures") != std::string::npos);
    CHECK(p.problem({}).find("is an array of structures") != std::string::npos);
    CHECK(p({{"C", "null"}})->all.at(0).isNull);
    p.options.otherwise = "random";
    CHECK(p({})->all.at(0).isNull);
}

TEST_CASE("an array may have the memory of another one") {
    Program p;
    p.array("A", ScalarKind::Float64, {expr("3")});
    p.array("B", ScalarKind::Float64, {expr("3")});
    p.array("C", ScalarKind::Float32, {expr("3")});
    const auto a = p({{"A", "range"}, {"B", "same:A"}, {"C", "1"}});
    REQUIRE(a);
    CHECK(a->find("B")->sharesWith == 0);
    CHECK(text(*a->find("B")) == "0 1 2");
    CHECK(p.problem({{"A", "range"}, {"B", "same:C"}, {"C", "1"}}) == "argument `B`: `C` is not of the same type and size");
    CHECK(p.problem({{"A", "range"}, {"B", "same:B"}, {"C", "1"}}) == "argument `B`: `B` is not an array with its own memory");
    CHECK(p.problem({{"A", "same:B"}, {"B", "same:A"}, {"C", "1"}}) == "argument `B`: `A` is not an array with its own memory");
}

TEST_CASE("sizes on the handle are not arguments of the call, and follow from shapes") {
    Program p;
    p.array("A", ScalarKind::Float64, {expr("M"), expr("N")});
    p.symbol("N");
    p.module.params.push_back({.name = "M", .cName = "M", .type = ScalarKind::Int32, .onHandle = true});
    auto given = p({{"A", "zeros"}, {"N", "4"}, {"M", "3"}});
    REQUIRE(given);
    CHECK(given->program.size() == 2);
    REQUIRE(given->sizes.size() == 1);
    CHECK(given->all[given->sizes[0]].name == Name("M"));
    CHECK(text(given->all[given->sizes[0]]) == "3");
    CHECK(given->find("A")->shape == std::vector<int64_t>{3, 4});
    CHECK(p.problem({{"A", "zeros"}, {"N", "4"}}) == "argument `M` has no value");
    const auto reordered = inOrderOf(p.module, *given);
    REQUIRE(reordered);
    CHECK(reordered->program == given->program);
    CHECK(reordered->sizes == given->sizes);
}

TEST_CASE("symbols that only shapes mention may have values") {
    Program p;
    p.array("A", ScalarKind::Float64, {expr("M + 1")});
    auto given = p({{"A", "zeros"}, {"M", "3"}});
    REQUIRE(given);
    CHECK(given->all.size() == 1);
    CHECK(given->find("A")->shape == std::vector<int64_t>{4});
    CHECK(p.problem({{"A", "zeros"}, {"M", "x"}}) == "argument `M`: `x` is not an integer");
    CHECK(p.problem({{"A", "zeros"}, {"M", "3"}, {"K", "1"}}) == "the program has no argument `K`");
    CHECK(valuesOf(p.module).count(Name("A")));
    CHECK(valuesOf(p.module).count(Name("M")));
    CHECK_FALSE(valuesOf(p.module).count(Name("K")));
}
