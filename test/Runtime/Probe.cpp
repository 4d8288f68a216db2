#include "sdfgc/rt/probe.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace rt = sdfgc::rt;
namespace fs = std::filesystem;

namespace {
struct Folder {
    fs::path path = fs::temp_directory_path() / ("sdfgc-data-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
    /// The only entry of `data`.
    fs::path run() const { return fs::directory_iterator(path / "data")->path(); }
};
std::string contents(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}
} // namespace

TEST_CASE("containers are saved in DaCe's format, one file per visit, and restored in the same order") {
    Folder folder;
    rt::DataReport report((folder.path / "data").c_str());
    int64_t n = 2;
    const std::vector<double> first = {1, 2, 3, 4, 5, 6}, second = {7, 8, 9, 10, 11, 12};
    report.save("A", "0_1_2", first.data(), {n, 3}, {3, 1}, 6);
    report.save("A", "0_1_2", second.data(), {n, 3}, {3, 1}, 6);
    report.save("B", "0_1_3", first.data(), {1}, {1}, 1);
    const fs::path run = folder.run();
    CHECK(fs::exists(run / "B" / "0_1_3_0.bin"));
    const std::string bytes = contents(run / "A" / "0_1_2_1.bin");
    REQUIRE(bytes.size() == 5 * 4 + 6 * 8);
    const auto *head = reinterpret_cast<const int32_t *>(bytes.data());
    CHECK((head[0] == 2 && head[1] == 2 && head[2] == 3 && head[3] == 3 && head[4] == 1));
    CHECK(bytes.substr(20) == std::string(reinterpret_cast<const char *>(second.data()), 48));
    CHECK(std::distance(fs::directory_iterator(folder.path / "data"), fs::directory_iterator()) == 1); // no partial files are left

    std::vector<double> read(6);
    CHECK_THROWS_AS(report.restore("A", "0_1_2", read.data(), {n, 3}, {3, 1}, 6), rt::Error); // no source
    report.restoreFrom(run.c_str());
    report.restore("A", "0_1_2", read.data(), {n, 3}, {3, 1}, 6);
    CHECK(read == first);
    report.restore("A", "0_1_2", read.data(), {n, 3}, {3, 1}, 6);
    CHECK(read == second);
    CHECK_THROWS_AS(report.restore("A", "0_1_2", read.data(), {n, 3}, {3, 1}, 6), rt::Error); // there were two visits
    CHECK_THROWS_AS(report.restore("B", "0_1_3", read.data(), {2}, {1}, 2), rt::Error);       // another size
}

TEST_CASE("symbols read back exactly") {
    Folder folder;
    rt::DataReport report((folder.path / "data").c_str());
    report.saveSymbol("N", "3", int64_t(-9007199254740993));
    report.saveSymbol("x", "3", 0.1);
    report.saveSymbol("u", "3", ~uint64_t(0));
    CHECK(contents(folder.run() / "N" / "3_0") == "-9007199254740993");
    report.restoreFrom(folder.run().c_str());
    CHECK(report.restoreSymbol<int64_t>("N", "3") == -9007199254740993);
    CHECK(report.restoreSymbol<double>("x", "3") == 0.1);
    CHECK(report.restoreSymbol<uint64_t>("u", "3") == ~uint64_t(0));
}

TEST_CASE("what cannot be written is an error") {
    Folder folder;
    const double value = 1;
    rt::DataReport nowhere((folder.path / "missing" / "data").c_str());
    CHECK_THROWS_AS(nowhere.save("A", "0_0_0", &value, {1}, {1}, 1), rt::Error);
    rt::DataReport report((folder.path / "data").c_str());
    CHECK_THROWS_AS(report.save("A", "0_0_0", &value, {int64_t(1) << 32}, {1}, 1), rt::Error);
}
