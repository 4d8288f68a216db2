// Symbolic texts, ranges and subsets (format reference 1.8, 1.10, 1.11).
#include "RangeText.h"
#include "ValueReader.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>

namespace sdfgc::serialize {

using diag::Id;

namespace {

using sdfgc::text::trimmed;

/// Facts about a symbol hold in the entire graph wherever they are stated: they are joined, and denials are ignored. The first type
/// is kept, and so is the first value of any other keyword.
void join(sym::SymbolFacts &known, const sym::SymbolFacts &more) {
    if (!known.type)
        known.type = more.type;
    known.nonnegative |= more.nonnegative;
    known.positive |= more.positive;
    known.nonzero |= more.nonzero;
    for (const auto &fact : more.other)
        if (std::none_of(known.other.begin(), known.other.end(), [&](const auto &other) { return other.first == fact.first; }))
            known.other.push_back(fact);
    std::erase_if(known.other, [&](const auto &fact) {
        return (known.positive && fact.first == "positive") || (known.nonnegative && fact.first == "nonnegative") ||
               (known.nonzero && fact.first == "nonzero");
    });
}

} // namespace

ValueReader::ParsedText ValueReader::parseText(std::string_view text) const {
    ParsedText out;
    auto lookUp = [&](Name n) {
        out.calls.push_back(n);
        return isContainer(n);
    };
    sym::ParseResult result = sym::parse(text, &out.facts, lookUp);
    out.error = std::move(result.error);
    if (result.expr && result.expr->overflowed())
        out.error = beyond64Bits;
    else
        out.expr = result.expr;
    return out;
}

std::optional<sym::Expr> ValueReader::parseSymbolic(std::string_view key, Json at, std::string_view text) {
    const uint32_t graph = scope_ ? scope_->number : 0;
    auto [it, isNew] = texts_.try_emplace(text);
    ParsedText &parsed = it->second;
    if (isNew)
        parsed = parseText(text);
    if (isNew || parsed.lastGraph != graph) {
        // The same text may denote an element in one graph and a function call in another.
        if (!isNew && !parsed.calls.empty())
            parsed = parseText(text);
        if (scope_ && scope_->facts)
            for (const auto &[symbol, facts] : parsed.facts)
                join((*scope_->facts)[symbol], facts);
        parsed.lastGraph = graph;
    }
    if (!parsed.expr)
        report(Id::BadExpression, at, key, parsed.error);
    return parsed.expr;
}

std::optional<sym::Expr> ValueReader::readExpr(std::string_view key, Json v) {
    if (v.isString() || v.isNumber())
        return parseSymbolic(key, v, v.text());
    Json exact = v.find("main"), over = v.find("approx"); // before 0.10
    if (exact && over) {
        auto e = readExpr(key, exact);
        auto o = readExpr(key, over);
        if (e && o)
            return *e == *o ? *e : sym::approx(*e, *o);
        return std::nullopt;
    }
    wrongKind(key, v, "a symbolic expression (a string)");
    return std::nullopt;
}

void ValueReader::read(std::string_view key, Json v, sym::Expr &out) {
    if (auto e = readExpr(key, v))
        out = *e;
}

void ValueReader::read(std::string_view key, Json v, std::vector<sym::Expr> &out) {
    if (!expect(key, v, JsonKind::Array))
        return;
    out.clear();
    out.reserve(v.size());
    for (Json item : v.items())
        out.push_back(readExpr(key, item).value_or(sym::Expr(1)));
}

void ValueReader::read(std::string_view key, Json v, std::optional<std::vector<sym::Expr>> &out) {
    out.reset();
    if (!v.isNull())
        read(key, v, out.emplace());
}

void ValueReader::read(std::string_view key, Json v, std::vector<std::pair<Name, sym::Expr>> &out) {
    if (!expect(key, v, JsonKind::Object))
        return;
    out.clear();
    for (auto [name, text] : v.members()) {
        auto id = readIdentifier(key, name);
        auto e = readExpr(name.text(), text);
        if (id && e)
            out.emplace_back(*id, *e);
    }
}

// ---- ranges and subsets
std::optional<sym::Range> ValueReader::readRange(Json v) {
    if (!expect("ranges", v, JsonKind::Object))
        return std::nullopt;
    std::optional<sym::Expr> begin, end;
    sym::Range r;
    bool good = true;
    for (auto [key, text] : v.members()) {
        auto e = readExpr(key.text(), text);
        good &= e.has_value();
        if (key.text() == "start")
            begin = e;
        else if (key.text() == "end")
            end = e;
        else if (key.text() == "step")
            r.step = e.value_or(1);
        else if (key.text() == "tile")
            r.tile = e.value_or(1);
    }
    if (good && (!begin || !end))
        report(Id::MissingKey, v, "a range", begin ? "end" : "start");
    if (!begin || !end)
        return std::nullopt;
    r.begin = *begin;
    r.end = *end;
    return r;
}

void ValueReader::read(std::string_view key, Json v, std::vector<sym::Range> &out) {
    std::optional<sym::Subset> s = readSubset(key, v);
    if (s)
        out = std::move(s->dims);
}

void ValueReader::read(std::string_view key, Json v, std::optional<sym::Subset> &out) {
    out.reset();
    if (!v.isNull())
        out = readSubset(key, v);
}

std::optional<sym::Subset> ValueReader::readSubset(std::string_view key, Json v) {
    if (v.isString())
        return parseSubsetText(key, v);
    if (v.isArray())
        return readUnion(v, v);
    Json type = v.find("type");
    if (!v.isObject() || !type || !type.isString()) {
        wrongKind(key, v, "a subset");
        return std::nullopt;
    }
    sym::Subset s;
    if (type.text() == "Range") {
        Json ranges = v.find("ranges");
        if (!ranges) {
            report(Id::MissingKey, v, "a Range", "ranges");
            return std::nullopt;
        }
        if (!expect("ranges", ranges, JsonKind::Array))
            return std::nullopt;
        s.dims.reserve(ranges.size());
        for (Json r : ranges.items())
            s.dims.push_back(readRange(r).value_or(sym::Range()));
        return s;
    }
    if (type.text() == "Indices") {
        std::vector<sym::Expr> indices;
        if (Json list = v.find("indices"))
            read("indices", list, indices);
        else
            report(Id::MissingKey, v, "Indices", "indices");
        return sym::Subset::point(indices);
    }
    if (type.text() == "SubsetUnion")
        for (std::string_view name : {"subset_list", "subsets"})
            if (Json list = v.find(name))
                return readUnion(v, list);
    report(Id::UnknownElement, type, "subset", type.text(), "");
    return std::nullopt;
}

std::optional<sym::Subset> ValueReader::readUnion(Json v, Json list) {
    std::optional<sym::Subset> box;
    for (Json item : list.items()) {
        auto s = readSubset("subset", item);
        if (!s)
            return std::nullopt;
        if (!box) {
            box = std::move(s);
        } else if (box->rank() == s->rank()) {
            box = sym::boundingBox(*box, *s);
        } else {
            report(Id::BadExpression, item, "subset", "the subsets of a union have different ranks");
            return std::nullopt;
        }
    }
    if (!box)
        report(Id::MissingKey, v, "a union of subsets", "subset_list");
    else if (list.size() > 1)
        report(Id::SubsetUnionBoxed, v);
    return box;
}

/// `0:N, i, 2:M:2`: ends are exclusive here, except with `..`. DaCe does not write this into files, but people do, and so does the
/// text form.
std::optional<sym::Subset> ValueReader::parseSubsetText(std::string_view key, Json at) {
    sym::Subset s;
    if (trimmed(at.text()).empty())
        return s;
    for (std::string_view dim : sdfgc::text::splitOutsideBrackets(at.text(), ',')) {
        const RangeText text(dim);
        std::vector<sym::Expr> read;
        for (std::string_view part : text.parts) {
            auto e = parseSymbolic(key, at, part);
            if (!e)
                return std::nullopt;
            read.push_back(*e);
        }
        if (read.size() > 4) {
            report(Id::BadExpression, at, key, "more than begin:end:step:tile");
            return std::nullopt;
        }
        s.dims.push_back(text.range(read));
        if (s.dims.back().end.overflowed()) { // the last element is one before the written end
            report(Id::BadExpression, at, key, beyond64Bits);
            return std::nullopt;
        }
    }
    return s;
}

} // namespace sdfgc::serialize
