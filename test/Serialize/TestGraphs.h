// Test graphs (test/graphs) and changes to them.
#pragma once

#include "SourceTree.h"
#include "sdfgc/Serialize/Serialize.h"
#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Json.h"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace sdfgc::serialize {

inline std::string graphPath(const std::string &name) { return SDFGC_SOURCE_DIR "/test/graphs/" + name; }

inline std::string graphText(const std::string &name) {
    Result<std::string> text = file::read(graphPath(name));
    REQUIRE(text);
    return *text;
}

inline const std::vector<std::string> &allGraphs() {
    static const std::vector<std::string> names = {"vadd.sdfg", "vadd.sdfgz", "dataflow.sdfg", "control.sdfg",
                                                   "v0_9.sdfg", "v0_16.sdfg", "v1_0.sdfg",     "external.sdfg"};
    return names;
}

/// The result of reading: the graph or null, and every diagnostic as `CODE path: message`.
struct Reading {
    std::unique_ptr<ir::SDFG> graph;
    std::vector<diag::Diagnostic> diagnostics;

    std::string messages() const {
        std::string out;
        for (const diag::Diagnostic &d : diagnostics)
            out += std::string(diag::info(d.id).code) + " " + d.place.path + ": " + d.message + "\n";
        return out;
    }
    bool has(diag::Id id) const {
        for (const diag::Diagnostic &d : diagnostics)
            if (d.id == id)
                return true;
        return false;
    }
};

inline Reading readingOf(std::unique_ptr<ir::SDFG> g, const diag::Engine &d) { return {std::move(g), d.sorted()}; }

inline Reading read(std::string text, const Limits &limits = {}) {
    diag::Engine d;
    auto g = readText(std::move(text), graphPath("test.sdfg"), d, limits);
    return readingOf(std::move(g), d);
}

inline Reading readGraph(const std::string &name) {
    diag::Engine d;
    auto g = readFile(graphPath(name), d);
    return readingOf(std::move(g), d);
}

/// A member or item of a JSON value, by a path such as `nodes[0].attributes.range`; it must exist.
inline json::Value &at(json::Value &root, const std::string &path) {
    json::Value *v = &root;
    for (std::size_t i = 0; i < path.size();) {
        if (path[i] == '[') {
            const std::size_t close = path.find(']', i);
            v = &v->items().at(std::stoul(path.substr(i + 1, close - i - 1)));
            i = close + 1;
            continue;
        }
        i += path[i] == '.';
        const std::size_t end = std::min(path.find_first_of(".[", i), path.size());
        auto *member = const_cast<json::Value *>(v->get(path.substr(i, end - i)));
        INFO("no member " << path.substr(i, end - i) << " in " << path);
        REQUIRE(member);
        v = member;
        i = end;
    }
    return *v;
}

inline json::Value parsed(const std::string &text) {
    auto v = json::parse(text);
    REQUIRE(v);
    return *v;
}

/// The graph with this name with one value replaced (`replacement` is JSON text).
inline std::string changed(const std::string &graph, const std::string &path, const std::string &replacement) {
    json::Value root = parsed(graphText(graph));
    at(root, path) = parsed(replacement);
    return root.dump();
}

/// The graph with this name with a member added or overwritten.
inline std::string with(const std::string &graph, const std::string &path, const std::string &key, const std::string &value) {
    json::Value root = parsed(graphText(graph));
    (path.empty() ? root : at(root, path)).set(key, parsed(value));
    return root.dump();
}

/// The graph with this name with a member removed.
inline std::string without(const std::string &graph, const std::string &path, const std::string &key) {
    json::Value root = parsed(graphText(graph));
    json::Value &object = path.empty() ? root : at(root, path);
    std::vector<json::Value::Member> kept;
    for (const auto &m : object.members())
        if (m.first != key)
            kept.push_back(m);
    REQUIRE(kept.size() + 1 == object.members().size());
    object = json::Value::object(std::move(kept));
    return root.dump();
}

} // namespace sdfgc::serialize
