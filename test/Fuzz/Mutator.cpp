#include "Mutator.h"

#include <algorithm>
#include <cctype>

namespace sdfgc::fuzz {

using json::Value;

namespace {

Value chain(std::size_t levels) {
    Value v;
    for (std::size_t i = 0; i < levels; ++i) {
        std::vector<Value> one;
        one.push_back(std::move(v));
        v = Value::array(std::move(one));
    }
    return v;
}

} // namespace

std::string Mutator::mutate(Value graph) {
    if (random_.oneIn(16))
        return damageBytes(graph.dump());
    for (std::size_t rounds = random_.oneIn(2) ? 1 : 1 + random_.below(4); rounds != 0; --rounds) {
        spots_.clear();
        collect(graph);
        mutateTree();
    }
    return graph.dump();
}

void Mutator::collect(Value &root) {
    spots_.push_back({&root, nullptr, 0, ""});
    for (std::size_t next = 0; next < spots_.size(); ++next) {
        const Spot at = spots_[next];
        Value &v = *at.value;
        for (std::size_t i = 0; i < v.items().size(); ++i)
            spots_.push_back({&v.items()[i], &v, i, at.key});
        auto &members = v.members();
        for (std::size_t i = 0; i < members.size(); ++i)
            spots_.push_back({&members[i].second, &v, i, members[i].first});
    }
}

void Mutator::mutateTree() {
    const Spot at = random_.pick(spots_);
    switch (random_.below(8)) {
    case 0:
        return replace(at);
    case 1:
    case 2:
        return changeParent(at);
    case 3:
        return borrow(at, false);
    case 4:
    case 5:
        return borrow(at, true);
    default:
        return changeText(at);
    }
}

/// Usually of the kind that the key requires, so that it passes the reader.
std::string Mutator::hostileText(std::string_view key) {
    static constexpr std::string_view expressions[] = {
        "start",         "end",    "step",         "tile",        "shape",          "strides",          "offset",
        "total_size",    "volume", "num_accesses", "assignments", "init_statement", "update_statement", "start_offset",
        "gpu_block_size"};
    static constexpr std::string_view codes[] = {"string_data", "code", "loop_condition", "wcr", "conditions"};
    const std::size_t choice = random_.below(8);
    if (choice == 0 || std::find(std::begin(expressions), std::end(expressions), key) != std::end(expressions))
        return hostileExpression(random_);
    if (choice == 1 || std::find(std::begin(codes), std::end(codes), key) != std::end(codes))
        return random_.oneIn(3) ? "lambda a, b: " + hostileExpression(random_) : hostileCode(random_);
    return hostileName(random_);
}

Value Mutator::strangeValue() {
    static const std::string numbers[] = {"0",
                                          "-1",
                                          "1",
                                          "2",
                                          "1e400",
                                          "NaN",
                                          "Infinity",
                                          "-Infinity",
                                          "4294967296",
                                          "2147483648",
                                          "-9223372036854775808",
                                          "18446744073709551616",
                                          "0.5",
                                          "1e-400",
                                          "999999"};
    switch (random_.below(9)) {
    case 0:
        return {};
    case 1:
        return Value(random_.oneIn(2));
    case 2:
        return Value(hostileName(random_));
    case 3:
        return Value(hostileExpression(random_));
    case 4:
        return Value::array();
    case 5:
        return Value::object();
    case 6:
        return random_.oneIn(20) ? chain(900) : chain(3);
    default:
        return Value::number(random_.pick(numbers));
    }
}

void Mutator::replace(const Spot &at) { *at.value = strangeValue(); }

/// Removes, duplicates, moves or renames one child of the parent.
void Mutator::changeParent(const Spot &at) {
    if (!at.parent)
        return;
    const bool list = at.parent->isArray();
    auto &items = at.parent->items();
    auto &members = at.parent->members();
    const auto offset = static_cast<std::ptrdiff_t>(at.position);
    switch (random_.below(4)) {
    case 0:
        list ? void(items.erase(items.begin() + offset)) : void(members.erase(members.begin() + offset));
        return;
    case 1:
        if (list)
            items.insert(items.begin() + offset, Value(items[at.position]));
        else
            members.insert(members.begin() + offset, Value::Member(members[at.position]));
        return;
    case 2:
        if (list)
            std::swap(items[at.position], items[random_.below(items.size())]);
        else
            std::swap(members[at.position].second, members[random_.below(members.size())].second);
        return;
    default:
        if (list)
            items.push_back(strangeValue());
        else
            members[at.position].first = random_.oneIn(2) ? hostileName(random_) : std::string(random_.pick(spots_).key);
        return;
    }
}

/// Copies another part of the graph here: with `sameKey` one with the same meaning, which has the right form.
void Mutator::borrow(const Spot &at, bool sameKey) {
    const Spot *from = &random_.pick(spots_);
    for (int tries = 0; sameKey && tries < 400 && (from->key != at.key || from->value == at.value); ++tries)
        from = &random_.pick(spots_);
    constexpr std::size_t largest = 200000; // copies of copies would grow without bound
    Value copy = *from->value;
    if (copy.dump().size() < largest)
        *at.value = std::move(copy);
}

void Mutator::changeText(const Spot &start) {
    Spot at = start;
    for (int tries = 0; tries < 50 && !at.value->isString() && !at.value->isNumber(); ++tries)
        at = random_.pick(spots_);
    if (at.key == "type" && !random_.oneIn(8))
        return changeText(random_.pick(spots_)); // nothing without a type is read
    if (at.value->isNumber()) {
        *at.value = strangeValue();
        return;
    }
    if (!at.value->isString())
        return;
    std::string text = at.value->text();
    switch (random_.below(6)) {
    case 0:
    case 1:
    case 2:
        text = hostileText(at.key);
        break;
    case 3:
        text += " + " + hostileExpression(random_);
        break;
    case 4:
        text.insert(random_.below(text.size() + 1), 1, static_cast<char>(random_.below(256)));
        break;
    default:
        if (!text.empty())
            text.erase(random_.below(text.size()), 1 + random_.below(4));
        break;
    }
    *at.value = Value(std::move(text));
}

std::string Mutator::cross(Value graph, Value other) {
    for (std::size_t rounds = 1 + random_.below(4); rounds != 0; --rounds) {
        spots_.clear();
        collect(other);
        const std::vector<Spot> givers = spots_;
        spots_.clear();
        collect(graph);
        // The first of many tries that fits: most parts are small, and the keys of both graphs are mostly the same.
        for (int tries = 0; tries < 400; ++tries) {
            const Spot &from = random_.pick(givers), &to = random_.pick(spots_);
            if (from.key != to.key || from.value->kind() != to.value->kind() || to.parent == nullptr)
                continue;
            *to.value = *from.value;
            break;
        }
    }
    return graph.dump();
}

std::string Mutator::damageBytes(std::string text) {
    switch (random_.below(3)) {
    case 0:
        text.resize(random_.below(text.size() + 1));
        break;
    case 1:
        for (std::size_t n = 1 + random_.below(8); n != 0 && !text.empty(); --n)
            text[random_.below(text.size())] = static_cast<char>(random_.below(256));
        break;
    default:
        text.insert(random_.below(text.size() + 1), text.substr(random_.below(text.size() + 1), random_.below(4000)));
        break;
    }
    return text;
}

// ---- the text form
namespace {

/// Start and length of a random word, or of another single character.
std::pair<std::size_t, std::size_t> somePiece(const std::string &text, Random &r) {
    auto isWord = [&](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    std::size_t from = r.below(text.size()), end = from + 1;
    if (isWord(from)) {
        while (from > 0 && isWord(from - 1))
            --from;
        while (isWord(end))
            ++end;
    }
    return {from, end - from};
}

std::string hostilePiece(Random &r) {
    static const std::vector<std::string> pieces = {"@",
                                                    "@x#99999999999",
                                                    "->",
                                                    "<-",
                                                    "{",
                                                    "}",
                                                    "(",
                                                    ")",
                                                    "[",
                                                    "]",
                                                    "\"",
                                                    "with",
                                                    "after",
                                                    "new",
                                                    "none",
                                                    "sdfg",
                                                    "order nodes 4-0",
                                                    "order edges 0-99999999",
                                                    "goto x",
                                                    "then",
                                                    "-",
                                                    ":",
                                                    "..",
                                                    "  ",
                                                    "\n",
                                                    "at 1:",
                                                    "#",
                                                    "//",
                                                    "=",
                                                    "symbol",
                                                    "nested",
                                                    "map m[",
                                                    "vector(vector(",
                                                    "-9223372036854775808",
                                                    "\t",
                                                    "\\u0000"};
    switch (r.below(4)) {
    case 0:
        return hostileName(r);
    case 1:
        return hostileExpression(r);
    case 2:
        return hostileCode(r);
    default:
        return pieces[r.below(pieces.size())];
    }
}

} // namespace

std::string Mutator::mutateText(std::string text) {
    if (random_.oneIn(8))
        return swapLines(std::move(text));
    for (std::size_t n = 1 + random_.below(4); n > 0 && !text.empty(); --n) {
        const auto [from, length] = somePiece(text, random_);
        const std::size_t line = from == 0 ? 0 : text.rfind('\n', from - 1) + 1;
        const std::size_t lineEnd = std::min(text.find('\n', from), text.size() - 1) + 1;
        switch (random_.below(7)) {
        case 0:
            text.erase(line, lineEnd - line);
            break;
        case 1:
            text.insert(line, text.substr(line, lineEnd - line));
            break;
        case 2:
            text.erase(from, length);
            break;
        case 3: {
            const auto [other, otherLength] = somePiece(text, random_);
            const std::string piece = text.substr(other, otherLength);
            text.replace(from, length, piece);
            break;
        }
        case 4:
            if (random_.oneIn(8))
                text.resize(from);
            break;
        default:
            text.replace(from, length, hostilePiece(random_));
        }
    }
    return text;
}

// ---- lines and names

namespace {

using Lines = std::vector<std::string>;

Lines linesOf(const std::string &text) {
    Lines lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    return lines;
}

std::string joined(const Lines &lines) {
    std::string text;
    for (const std::string &line : lines)
        text += line;
    return text;
}

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Replaces whole words: `from` by `to`, and with `both` also `to` by `from`.
std::string withWords(const std::string &text, const std::string &from, const std::string &to, bool both) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && isWordCharacter(text[end]))
            ++end;
        if (end == at) {
            out += text[at++];
            continue;
        }
        const std::string word = text.substr(at, end - at);
        out += word == from ? to : both && word == to ? from : word;
        at = end;
    }
    return out;
}

/// A name that the graph gives to something: the word before a colon in both forms, or any other word that is not a keyword of the
/// format.
std::string someName(const std::string &text, Random &r) {
    static constexpr std::string_view formats[] = {
        "type",  "attributes", "label",  "id",    "src", "dst",  "data", "start", "end",   "step",        "tile",    "ranges",
        "nodes", "edges",      "subset", "Range", "dim", "null", "true", "false", "dtype", "string_data", "language"};
    for (int tries = 0; tries < 100; ++tries) {
        const auto [from, length] = somePiece(text, r);
        const std::string word = text.substr(from, length);
        const bool isName = std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_';
        if (isName && std::find(std::begin(formats), std::end(formats), word) == std::end(formats))
            return word;
    }
    return "x";
}

} // namespace

std::string Mutator::crossText(std::string text, const std::string &other) {
    Lines lines = linesOf(text);
    const Lines givers = linesOf(other);
    for (std::size_t rounds = 1 + random_.below(3); rounds != 0 && !lines.empty() && !givers.empty(); --rounds) {
        const std::size_t from = random_.below(givers.size()), to = random_.below(lines.size());
        const std::size_t count = std::min(1 + random_.below(random_.oneIn(3) ? 6 : 1), givers.size() - from);
        const auto first = givers.begin() + static_cast<std::ptrdiff_t>(from);
        if (random_.oneIn(2))
            lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(to));
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to), first, first + static_cast<std::ptrdiff_t>(count));
    }
    return joined(lines);
}

std::string Mutator::renameText(std::string text) {
    for (std::size_t rounds = 1 + random_.below(3); rounds != 0 && !text.empty(); --rounds) {
        const std::string from = someName(text, random_), to = someName(text, random_);
        text = withWords(text, from, to, random_.oneIn(3));
    }
    return text;
}

std::string Mutator::swapLines(std::string text) {
    Lines lines = linesOf(text);
    if (lines.size() > 1)
        std::swap(random_.pick(lines), random_.pick(lines));
    return joined(lines);
}

void Mutator::mutatePasses(std::vector<std::string> &passes) {
    for (std::size_t rounds = 1 + random_.below(2); rounds != 0 && passes.size() > 1; --rounds) {
        const auto at = passes.begin() + static_cast<std::ptrdiff_t>(random_.below(passes.size()));
        const std::string pass = *at;
        const std::size_t choice = random_.below(4); // usually missing, or elsewhere, or twice
        if (choice != 3)
            passes.erase(at);
        if (choice >= 2)
            passes.insert(passes.begin() + static_cast<std::ptrdiff_t>(random_.below(passes.size() + 1)), pass);
    }
}

} // namespace sdfgc::fuzz
