#include "sdfgc/Run/Npy.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace sdfgc;
using namespace sdfgc::run;

namespace {

std::string file(const std::string &header, const std::string &data) {
    const auto length = static_cast<char>(header.size());
    return std::string("\x93NUMPY\x01\x00", 8) + length + '\0' + header + data;
}
template <class T> std::string bytes(std::initializer_list<T> values) {
    std::string out;
    for (T v : values)
        out.append(reinterpret_cast<const char *>(&v), sizeof v);
    return out;
}
std::string problem(const std::string &text) {
    Result<NpyArray> a = parseNpy(text);
    return a ? "none" : a.error();
}

} // namespace

TEST_CASE("what is written is read again") {
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {3}, {2, 3}, {0}, {1, 1, 4}}) {
        NpyArray a{{'c', 16}, shape, {}};
        a.data = std::string(static_cast<std::size_t>(a.elements()) * 16, 'x');
        const std::string text = npyText(a);
        CHECK((text.size() - a.data.size()) % 64 == 0);
        Result<NpyArray> again = parseNpy(text);
        REQUIRE(again);
        CHECK(again->dtype == a.dtype);
        CHECK(again->shape == shape);
        CHECK(again->data == a.data);
    }
}

TEST_CASE("files of NumPy in column-major order and of the other byte order") {
    Result<NpyArray> f =
        parseNpy(file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", bytes<int32_t>({1, 4, 2, 5, 3, 6})));
    REQUIRE(f);
    CHECK(f->shape == std::vector<int64_t>{2, 3});
    CHECK(f->data == bytes<int32_t>({1, 2, 3, 4, 5, 6}));
    Result<NpyArray> big =
        parseNpy(file("{'shape': (2,), 'fortran_order': False, 'descr': '>u2'}", std::string("\x01\x02\x03\x04")));
    REQUIRE(big);
    CHECK(big->data == bytes<uint16_t>({0x0102, 0x0304}));
    Result<NpyArray> complex =
        parseNpy(file("{'descr': '>c8', 'fortran_order': False, 'shape': (1,)}", std::string("\x3f\x80\0\0\x40\0\0\0", 8)));
    REQUIRE(complex);
    CHECK(complex->data == bytes<float>({1, 2}));
}

TEST_CASE("damaged files and what is no array of numbers") {
    const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
    CHECK(problem(file(good, std::string(16, 'a'))) == "none");
    CHECK(problem(file(good, std::string(15, 'a'))) == "it is shorter than its header says");
    CHECK(problem("PK") == "it is no NumPy file");
    CHECK(problem(std::string("\x93NUMPY\x09\x00\x10\x00 ...", 14)) == "its format version 9 is not known");
    CHECK(problem(std::string("\x93NUMPY\x01\x00\xff\xff....", 14)) == "it ends in the middle of its header");
    CHECK(problem(file("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "xx")) ==
          "its elements have the type `|O`, which is no type of numbers");
    CHECK(problem(file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", "xx")) ==
          "it has records; give arrays of numbers");
    CHECK(problem(file("{'descr': '<f3', 'fortran_order': False, 'shape': (2,), }", "xx")).find("`<f3`") != std::string::npos);
    CHECK(problem(file("{'descr': '<f8', 'fortran_order': False}", "xx")) == "its header is incomplete");
    CHECK(problem(file("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "xx")) == "its header is damaged");
    CHECK(problem(file("{'descr': '<f8', 'x': 1", "")) == "its header has the unknown key `x`");
    CHECK(problem(file("[]", "")) == "its header is no dictionary");
    CHECK(problem(file("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 3)}", "xx")) ==
          "it is shorter than its header says");
}

TEST_CASE("element types") {
    CHECK(dtypeOf(ScalarKind::Float64)->name() == "float64");
    CHECK(dtypeOf(ScalarKind::Complex64)->name() == "complex64");
    CHECK(dtypeOf(ScalarKind::Bool)->name() == "bool");
    CHECK(dtypeOf(ScalarKind::UInt16)->name() == "uint16");
    CHECK(dtypeOf(ScalarKind::BFloat16)->name() == "uint16");
    CHECK(dtypeOf(ScalarKind::Float16)->name() == "float16");
    CHECK_FALSE(dtypeOf(ScalarKind::String));
    CHECK_FALSE(dtypeOf(Type::pointer(ScalarKind::Int32)));
}
