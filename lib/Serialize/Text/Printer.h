// Prints graphs as text. There is one printer per text, and one per state.
#pragma once

#include "Serialize/Text/AttributeText.h"
#include "Serialize/Text/StateNames.h"
#include "sdfgc/Serialize/Text.h"

#include <functional>

namespace sdfgc::serialize::text {

class Printer {
public:
    explicit Printer(const PrintOptions &o) : options_(o) {}

    /// `sdfg NAME(arguments) {`, declarations, blocks and `}`.
    void graph(const ir::SDFG &g);
    void state(const ir::State &s);
    /// One state of the SDFG as a block.
    void stateAlone(const ir::SDFG &g, const ir::State &s);
    std::string take() { return std::move(text_); }

    // ---- used by the printers of states
    void line(std::string_view s);
    void open(std::string_view head) {
        line(std::string(head) + " {");
        ++depth_;
    }
    void close(std::string_view tail = {}) {
        --depth_;
        line("}" + std::string(tail));
    }
    /// `head with a, b; c`, with every item on a separate line if one line would be too long.
    void withItems(const std::string &head, const std::vector<std::vector<std::string>> &groups, bool opens);
    /// The lines of a text, unchanged except for added indentation.
    void code(std::string_view lines);
    /// `order nodes 3 0-2`, unless the elements are in the order of their list.
    void order(std::string_view what, const std::vector<uint32_t> &positions);
    /// Adds `at 12:4-20` unless it is the expected location.
    void location(AttributeText &a, const ir::DebugInfo &d, const ir::DebugInfo &otherwise = {});
    ValueText &values() { return *values_; }
    static std::string typeText(Type t, ValueText &values);

private:
    // PrintGraph.cpp
    void declarations(const ir::SDFG &g);
    void symbols(const ir::SDFG &g);
    void hints(const ir::SDFG &g);
    void container(std::string_view word, Name name, const ir::DataDesc &d, const std::string &value = {});
    void globalCode(const char *where, const ir::TargetCode &c);
    // PrintRegion.cpp
    void region(const ir::Region &r);
    void edges(const ir::Block &from, const ir::Block *next, const std::vector<const ir::InterstateEdge *> &out,
               const std::function<std::string(const ir::Block &)> &name);
    void block(const ir::Block &b);
    void loop(const ir::LoopRegion &l);
    void conditional(const ir::ConditionalBlock &c);
    std::string blockAttributes(const ir::Block &b, std::initializer_list<std::string_view> without = {});

    PrintOptions options_;
    std::string text_;
    int depth_ = 0;
    ValueText *values_ = nullptr; // of the SDFG being printed
    Name file_;                   // the last file named in a location
};

} // namespace sdfgc::serialize::text
