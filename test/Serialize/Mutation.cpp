// Small random changes to small graphs: reading gives a graph or an error, and a graph that was read can be written and read again.
#include "Serialize/TestGraphs.h"

#include <random>

using namespace sdfgc;
using namespace sdfgc::serialize;

namespace {

void readAny(const std::string &text) {
    Reading r = read(text);
    bool error = false;
    for (const diag::Diagnostic &d : r.diagnostics) {
        error |= d.severity == diag::Severity::Error;
        if (d.place.file.empty() || d.message.empty())
            FAIL("a diagnostic without file or message for " << text);
    }
    if (!r.graph && !error)
        FAIL("neither graph nor error for " << text);
    if (!r.graph)
        return;
    Reading again = read(writeText(*r.graph));
    if (!again.graph)
        FAIL("written text is not read: " << again.messages() << text);
    if (auto different = difference(*r.graph, *again.graph))
        FAIL(*different << " in " << text);
}

/// Pointers to every value below `v`.
void collect(json::Value &v, std::vector<json::Value *> &out) {
    out.push_back(&v);
    for (json::Value &item : v.items())
        collect(item, out);
    for (const auto &[key, member] : v.members())
        collect(const_cast<json::Value &>(member), out);
}

const std::vector<json::Value> &replacements() {
    static const std::vector<json::Value> values = [] {
        std::vector<json::Value> list;
        for (const char *text : {"null",
                                 "true",
                                 "false",
                                 "0",
                                 "-1",
                                 "7",
                                 "1e300",
                                 "NaN",
                                 "123456789012345678901234567890",
                                 "\"\"",
                                 "\"A\"",
                                 "\"1\"",
                                 "\"-1\"",
                                 "\"$N\"",
                                 "\"i j\"",
                                 "\"a\\nb/\\\"\"",
                                 "\"$N + (\"",
                                 "[]",
                                 "[[]]",
                                 "[1, \"2\", null]",
                                 "{}",
                                 "{\"type\": \"SDFG\"}",
                                 "{\"type\": \"Range\", \"ranges\": []}",
                                 "{\"type\": \"pointer\", \"dtype\": null}",
                                 "{\"attributes\": {}}",
                                 "{\"type\": 1}",
                                 "\"Scope\"",
                                 "\"float64\"",
                                 "\"Infinity\""})
            list.push_back(*json::parse(text));
        return list;
    }();
    return values;
}

} // namespace

TEST_CASE("every value of the small graph replaced by every other kind of value") {
    const json::Value original = parsed(graphText("vadd.sdfg"));
    json::Value root = original;
    std::vector<json::Value *> all;
    collect(root, all);
    for (json::Value *place : all)
        for (const json::Value &v : replacements()) {
            if (place == &root)
                continue;
            json::Value kept = std::move(*place);
            *place = v;
            readAny(root.dump());
            *place = std::move(kept);
        }
    CHECK(root == original);
}

TEST_CASE("random values of all graphs replaced, removed, exchanged") {
    std::mt19937 random(20260718);
    auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    for (const std::string &name : allGraphs()) {
        if (name == "vadd.sdfgz" || name == "external.sdfg")
            continue;
        const json::Value original = parsed(graphText(name));
        for (int round = 0; round < 150; ++round) {
            json::Value root = original;
            for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
                std::vector<json::Value *> all;
                collect(root, all);
                json::Value &place = *all[below(all.size())];
                switch (below(3)) {
                case 0:
                    place = replacements()[below(replacements().size())];
                    break;
                case 1: {
                    json::Value copy = *all[below(all.size())]; // may contain the target
                    place = std::move(copy);
                    break;
                }
                default:
                    if (!place.items().empty())
                        place.items().erase(place.items().begin() + static_cast<std::ptrdiff_t>(below(place.items().size())));
                }
            }
            readAny(root.dump());
        }
    }
}

TEST_CASE("text cut off at every byte") {
    const std::string text = graphText("vadd.sdfg");
    for (std::size_t length = 0; length + 2 < text.size(); ++length) {
        Reading r = read(text.substr(0, length));
        if (r.graph || r.diagnostics.empty())
            FAIL("cut at " << length);
    }
    CHECK(read(text).graph);
}

TEST_CASE("random bytes changed") {
    std::mt19937 random(4711);
    for (const std::string &name : allGraphs()) {
        const std::string original = graphText(name);
        for (int round = 0; round < 100; ++round) {
            std::string text = original;
            for (int changes = 0; changes < 3; ++changes)
                text[random() % text.size()] = static_cast<char>(random());
            readAny(text);
        }
    }
}
