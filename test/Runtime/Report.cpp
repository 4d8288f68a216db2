#include "sdfgc/rt/report.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

namespace rt = sdfgc::rt;
namespace fs = std::filesystem;

namespace {
struct Folder {
    fs::path path = fs::temp_directory_path() / ("sdfgc-report-" + std::to_string(getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
};
std::string contents(const std::string &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}
} // namespace

TEST_CASE("a report is DaCe's JSON") {
    Folder folder;
    rt::Report report;
    report.addCompletion("Map \"a\\b\"\n", "Timer", 1000, 1250, {0, 1, 2});
    report.addCounter("State s", "PAPI", "TOT_INS", 12345678901, {3});
    const std::string path = report.save((folder.path / "perf").string(), "abc123");
    REQUIRE(!path.empty());
    CHECK(std::regex_match(fs::path(path).filename().string(), std::regex("report-\\d{13}\\.json")));
    const std::string text = std::regex_replace(contents(path), std::regex("\"(pid|tid|ts)\": \\d+"), "\"$1\": 0");
    CHECK(text == "{\n  \"traceEvents\": [\n"
                  "    {\"name\": \"Map \\\"a\\\\b\\\"\\u000a\", \"cat\": \"Timer\", \"ph\": \"X\", \"ts\": 0, \"dur\": 250, "
                  "\"pid\": 0, \"tid\": 0, "
                  "\"args\": {\"cfg_id\": 0, \"state_id\": 1, \"id\": 2}},\n"
                  "    {\"name\": \"State s\", \"cat\": \"PAPI\", \"ph\": \"C\", \"ts\": 0, \"pid\": 0, \"tid\": 0, \"args\": "
                  "{\"cfg_id\": 3, "
                  "\"TOT_INS\": 12345678901}}\n"
                  "  ],\n  \"sdfgHash\": \"abc123\"\n}\n");
}

TEST_CASE("reports of one moment get names of their own and leave nothing else behind") {
    Folder folder;
    rt::Report report;
    std::set<std::string> paths;
    for (int i = 0; i < 20; ++i)
        paths.insert(report.save(folder.path.string()));
    CHECK(paths.size() == 20);
    CHECK(paths.count("") == 0);
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 20);
    CHECK(report.save((folder.path / "missing" / "deeper").string()).empty());
}

TEST_CASE("timers measure their block; events come from any thread; reset forgets them") {
    rt::Report report;
    const int64_t before = report.now();
    {
        rt::Timer timer(report, "State x");
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    CHECK(report.now() - before >= 3000);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i)
                report.addCounter("n", "c", "k", i);
        });
    for (std::thread &thread : threads)
        thread.join();
    CHECK(report.size() == 2001);
    Folder folder;
    const std::string text = contents(report.save(folder.path.string()));
    std::smatch duration;
    REQUIRE(std::regex_search(text, duration, std::regex("\"dur\": (\\d+)")));
    CHECK(std::stoll(duration[1]) >= 3000);
    report.reset();
    CHECK(report.size() == 0);
    CHECK(contents(report.save(folder.path.string())).find("\"name\"") == std::string::npos);
}

TEST_CASE("a call that is switched off adds nothing and writes nothing") {
    Folder folder;
    rt::Report report;
    setenv("SDFGC_INSTRUMENT", "off", 1);
    report.begin();
    { const rt::Timer timer(report, "State x"); }
    CHECK_FALSE(report.isOn());
    CHECK(report.size() == 0);
    report.finish(folder.path.string());
    CHECK(fs::is_empty(folder.path));
    setenv("SDFGC_INSTRUMENT", "1", 1);
    setenv("SDFGC_REPORT_FOLDER", folder.path.c_str(), 1);
    report.begin();
    { const rt::Timer timer(report, "State x", {0, 1}, {800, 100}); }
    report.note("SD6025", "nothing counts \"x\"");
    report.note("SD6025", "nothing counts \"x\"");
    report.finish("/nowhere");
    unsetenv("SDFGC_INSTRUMENT");
    unsetenv("SDFGC_REPORT_FOLDER");
    REQUIRE(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 1);
    const std::string text = contents(fs::directory_iterator(folder.path)->path());
    CHECK(text.find("\"state_id\": 1, \"bytes\": 800, \"operations\": 100}}") != std::string::npos);
    CHECK(text.find("  \"notes\": [\"nothing counts \\\"x\\\" [SD6025]\"],\n") != std::string::npos);
}

TEST_CASE("sources add their events at the end of a call, each once") {
    Folder folder;
    rt::Report report;
    int calls = 0;
    const auto add = [](rt::Report &r, void *data) {
        ++*static_cast<int *>(data);
        r.addCounter("region", "likwid", "CPI", 0.75, {0, 1, 2}, 7);
    };
    report.addSource(add, &calls);
    report.addSource(add, &calls);
    report.begin();
    report.finish(folder.path.string());
    CHECK(calls == 1);
    const std::string text = contents(fs::directory_iterator(folder.path)->path());
    CHECK(text.find("\"tid\": 7, \"args\": {\"cfg_id\": 0, \"state_id\": 1, \"id\": 2, \"CPI\": 0.75}}") != std::string::npos);
}

TEST_CASE("from a million events on, those of an element are added up") {
    Folder folder;
    rt::Report report;
    const int64_t most = int64_t(1) << 20;
    for (int64_t i = 0; i < most + 1000; ++i)
        report.addInterval("Map m", "Timer", i, i + 1500, {0, 1, 2}, {8, 1});
    report.addInterval("Map n", "Timer", 0, 1, {0, 1, 3});
    CHECK(report.size() == most + 2);
    const std::string text = contents(report.save(folder.path.string()));
    CHECK(text.find("\"dur\": 1.500, ") != std::string::npos);
    CHECK(text.find("\"dur\": 1500, ") != std::string::npos); // a thousand of them
    CHECK(text.find("\"bytes\": 8000, \"operations\": 1000, \"calls\": 1000}}") != std::string::npos);
}
