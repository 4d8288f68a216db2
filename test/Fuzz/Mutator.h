// Damages graphs in the way broken tools, broken disks and attackers do: a mutation changes the JSON tree of a file, or its bytes.
#pragma once

#include "../RandomNumbers.h"

#include "sdfgc/Support/Json.h"

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::fuzz {

/// Random numbers, and the maximum length of a hostile text: a text that is discarded for its length would only cost time.
struct Random : test::RandomNumbers {
    explicit Random(uint64_t seed, std::size_t mostText = std::numeric_limits<std::size_t>::max())
        : RandomNumbers(seed), most(mostText) {}
    std::size_t most;
};

/// Names that no program should have: path separators, quotes, line ends, words of C++, words of shells and CMake.
std::string hostileName(Random &r);
/// Symbolic expressions that are out of range, endless, or not expressions at all.
std::string hostileExpression(Random &r);
/// Tasklet code that is deep, long, or not code at all.
std::string hostileCode(Random &r);

class Mutator {
public:
    /// `most`: the maximum length of a hostile text; the same seed and limit give the same damage.
    explicit Mutator(uint64_t seed, std::size_t most = std::numeric_limits<std::size_t>::max()) : random_(seed, most) {}

    /// The text of a damaged copy of `graph`: one to four mutations of the tree, or, one time in sixteen, of the bytes.
    std::string mutate(json::Value graph);
    /// A damaged copy of a graph's text form: lines removed, duplicated, exchanged; words, brackets and numbers replaced; the end
    /// cut off.
    std::string mutateText(std::string text);
    /// A copy of `graph` in which one to four parts are replaced with parts of `other` that have the same meaning.
    std::string cross(json::Value graph, json::Value other);
    /// The same for text forms: lines of `other`, single or several in a row, inserted into `text` or replacing its lines.
    std::string crossText(std::string text, const std::string &other);
    /// A copy of a graph, as JSON or in its text form, in which one to three names are replaced with other names of the graph:
    /// containers, symbols, connectors, labels, parameters. One time in three, both names are exchanged.
    std::string renameText(std::string text);
    /// Removes, duplicates or moves one or two passes of a list.
    void mutatePasses(std::vector<std::string> &passes);
    /// A copy in which some bytes differ, the end is cut off, or a part is duplicated.
    std::string damageBytes(std::string text);

private:
    /// A value of the tree with its key (for list items, the key of the list).
    struct Spot {
        json::Value *value, *parent;
        std::size_t position; // in the parent
        std::string_view key;
    };
    std::string swapLines(std::string text);
    void collect(json::Value &root);
    void mutateTree();
    void replace(const Spot &at);
    void changeParent(const Spot &at);
    void borrow(const Spot &at, bool sameKey);
    void changeText(const Spot &at);
    std::string hostileText(std::string_view key);
    json::Value strangeValue();

    Random random_;
    std::vector<Spot> spots_;
};

} // namespace sdfgc::fuzz
