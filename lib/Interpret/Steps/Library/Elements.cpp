#include "Elements.h"

#include "sdfgc/Tasklet/Types.h"

#include <cstring>
#include <numeric>

namespace sdfgc::interpret {

// ---------------------------------------------------------------------------------------------------- operands

void Elements::locate(Machine &m) {
    indices_.run(m);
    if (!side_.container) {
        shape.clear();
        positions_.assign(1, 0);
        return;
    }
    side_.locate(m, positions_, 1, !side_.given);
    shape = side_.shape();
}

const std::byte *Elements::read(Machine &m, int64_t k) {
    if (value_)
        return value_.at;
    if (k < 0 || k >= count())
        m.report(FaultKind::Outside, side_.site, "`" + side_.container->name.str() + "` has no such element here");
    if (!isInside(k)) {
        std::memset(given_.at, 0, static_cast<std::size_t>(sizeOf(type)));
        return given_.at;
    }
    const int64_t at = positions_[static_cast<std::size_t>(k)];
    m.noteRead(buffer(), at, side_.container->unit, side_.site);
    return buffer().memory + at;
}

const std::byte *Elements::old(int64_t k) const {
    if (value_ || !isInside(k))
        return value_ ? value_.at : given_.at;
    return buffer().memory + positions_[static_cast<std::size_t>(k)];
}

bool Elements::hasValue(int64_t k) const {
    if (value_ || !isInside(k))
        return value_.at != nullptr;
    return buffer().cells[static_cast<std::size_t>(buffer().cellOf(positions_[static_cast<std::size_t>(k)]))].written.time != never;
}

void Elements::write(Machine &m, int64_t k, const std::byte *value) {
    const auto bytes = static_cast<std::size_t>(sizeOf(type));
    if (value_) {
        std::memcpy(value_.at, value, bytes);
        return;
    }
    if (!isInside(k))
        return;
    const int64_t at = positions_[static_cast<std::size_t>(k)];
    if (hasConflictResolution()) {
        std::memcpy(given_.at, value, bytes);
        std::memcpy(old_.at, buffer().memory + at, bytes);
        combine_.run(m);
        update(m, k, combined_.at);
        return;
    }
    m.noteWrite(buffer(), at, side_.container->unit, value, side_.site);
    std::memcpy(buffer().memory + at, value, bytes);
}

void Elements::update(Machine &m, int64_t k, const std::byte *value) {
    if (value_ || !isInside(k))
        return;
    const int64_t at = positions_[static_cast<std::size_t>(k)];
    m.noteUpdate(buffer(), at, side_.container->unit, side_.site);
    std::memcpy(buffer().memory + at, value, static_cast<std::size_t>(side_.container->unit));
}

std::vector<std::byte> Elements::readAll(Machine &m) {
    const int64_t bytes = sizeOf(type);
    std::vector<std::byte> out(static_cast<std::size_t>(count() * bytes));
    for (int64_t k = 0; k < count(); ++k)
        std::memcpy(out.data() + k * bytes, read(m, k), static_cast<std::size_t>(bytes));
    return out;
}

std::vector<std::size_t> Elements::dimensions(std::size_t most) const {
    std::vector<std::size_t> all(shape.size());
    std::iota(all.begin(), all.end(), std::size_t(0));
    if (all.size() <= most)
        return all;
    std::vector<std::size_t> out = all;
    std::erase_if(out, [this](std::size_t d) { return d < alwaysOne.size() && alwaysOne[d]; });
    if (out.size() <= most)
        return out;
    std::erase_if(all, [this](std::size_t d) { return shape[d] == 1; });
    return all;
}

bool Elements::isSameAs(const Elements &other) const {
    return side_.container && other.side_.container && side_.container->buffer == other.side_.container->buffer &&
           positions_ == other.positions_;
}

// ---------------------------------------------------------------------------------------------------- nodes

const ir::Edge *NodeReader::onlyEdge(const std::vector<ir::Edge *> &edges) {
    const ir::Edge *found = nullptr;
    for (const ir::Edge *e : edges)
        if (!e->memlet.isEmpty())
            found = e;
    return found;
}

Elements NodeReader::input(Name connector) {
    if (!hasInput(connector)) {
        refuse("a library node of class " + node.className() + " without its input `" + connector.str() + "`");
        return {};
    }
    return input(node.inEdge(connector));
}

Elements NodeReader::output(Name connector) {
    if (!hasOutput(connector)) {
        refuse("a library node of class " + node.className() + " without its output `" + connector.str() + "`");
        return {};
    }
    return output(node.outEdge(connector));
}

Elements NodeReader::input(const ir::Edge *e) {
    if (!e) {
        refuse("a library node of class " + node.className() + " without an input");
        return {};
    }
    if (Container *c = Planner::containerAtSource(scope, *e))
        return operand(*e, *c, Planner::subsetAtSource(*e));
    const ir::Edge *first = ir::memletPath(e).front();
    const auto value = planner.values.find({first->src, first->srcConn});
    Elements out;
    if (value == planner.values.end()) {
        refuse("the connector `" + e->dstConn.str() + "`, which is not connected");
    } else {
        out.value_ = value->second;
        out.type = out.value_.type;
    }
    return out;
}

Elements NodeReader::output(const ir::Edge *e) {
    if (!e) {
        refuse("a library node of class " + node.className() + " without an output");
        return {};
    }
    if (Container *c = Planner::containerAtDestination(scope, *e)) {
        Elements out = operand(*e, *c, Planner::subsetAtDestination(*e));
        out.wcr_ = e->memlet.wcr;
        if (out.hasConflictResolution() && !refused_) {
            Builder b = builder();
            out.old_ = b.reserve(out.type);
            out.combined_ = b.reserve(out.type);
            b.copy(out.combined_, b.convert(b.apply(*expression(out.wcr_), {out.old_, out.given_}), out.type));
            out.combine_ = finish(b);
        }
        return out;
    }
    const ir::Connector *declared = node.outConnector(e->srcConn);
    Elements out;
    if (!declared || !declared->type || declared->type.isPointer()) {
        refuse("the connector `" + e->srcConn.str() + "`, whose type is unknown");
        return out;
    }
    out.type = declared->type;
    out.value_ = builder().reserve(out.type);
    planner.values[{&node, e->srcConn}] = out.value_;
    return out;
}

Elements NodeReader::operand(const ir::Edge &e, Container &c, const std::optional<sym::Subset> &subset) {
    Elements out;
    out.type = c.type;
    if (c.desc->isStream() || c.desc->isStructure() || c.unit == 0 || c.type.isPointer() || c.type.isOpaque() || c.type.isStruct())
        refuse("a library node on `" + c.name.str() + "`, whose elements are not numbers");
    out.side_.container = &c;
    out.side_.site = planner.site(node, &e.memlet);
    out.side_.allowOutside = e.memlet.allowOob;
    const std::vector<sym::Expr> sizes = subset ? subset->sizes() : c.desc->shape;
    for (std::size_t d = 0; d < c.desc->rank() && !c.desc->isScalar(); ++d)
        out.alwaysOne.push_back(d < sizes.size() && sizes[d].isOne());
    Builder b = planner.builder(scope, planner.symbolicDivision(), out.side_.site);
    out.side_.define(b, subset);
    out.given_ = b.reserve(out.type);
    out.indices_ = finish(b);
    return out;
}

std::string NodeReader::text(const char *property, std::string otherwise) const {
    const json::Value *v = node.properties.find(property);
    if (v && v->isBool())
        return v->asBool() ? "True" : "False";
    return v && !v->isNull() && !v->text().empty() ? v->text() : otherwise;
}

bool NodeReader::boolean(const char *property, bool otherwise) const {
    const json::Value *v = node.properties.find(property);
    return v ? v->asBool(otherwise) : otherwise;
}

std::optional<std::vector<int64_t>> NodeReader::integers(const char *property) const {
    const json::Value *v = node.properties.find(property);
    if (!v || !v->isArray())
        return std::nullopt;
    std::vector<int64_t> out;
    for (const json::Value &i : v->items())
        out.push_back(i.asInt().value_or(0));
    return out;
}

py::ExprRef NodeReader::expression(const std::string &text) {
    Builder b = builder();
    const py::ExprRef e = scope.parse(b, {text, ir::Language::Python});
    finish(b);
    return e ? e : py::name(Name("_")); // rejected
}

// ---------------------------------------------------------------------------------------------------- values

Conversion::Conversion(NodeReader &r, Type from, Type to) {
    Builder b = r.builder();
    in_ = b.reserve(from);
    out_ = b.reserve(to);
    b.copy(out_, b.convert(in_, to));
    code_ = r.finish(b);
}

const std::byte *Conversion::operator()(Machine &m, const std::byte *value) {
    std::memcpy(in_.at, value, static_cast<std::size_t>(sizeOf(in_.type)));
    code_.run(m);
    return out_.at;
}

Coefficient::Coefficient(NodeReader &r, const std::string &text, Type t) : one_(text == "1" || text == "1.0") {
    Builder b = r.builder();
    value = b.reserve(t);
    b.copy(value, b.convert(b.expression(*r.expression(text)), t));
    code_ = r.finish(b);
}

bool Coefficient::isZero() const {
    return std::all_of(value.at, value.at + sizeOf(value.type), [](std::byte b) { return b == std::byte(0); });
}

Term::Term(NodeReader &r, const Sum &sum, const std::vector<Type> &factors, const Coefficient &coefficient) {
    Builder b = r.builder();
    Operand all = coefficient.isOne() ? Operand() : coefficient.value;
    for (const Type t : factors) {
        factors_.push_back(b.reserve(t));
        all = all ? b.binary(py::Op::Mul, all, factors_.back()) : factors_.back();
    }
    const Type t = sum.value.type;
    b.copy(sum.value, b.convert(b.binary(py::Op::Add, sum.value, b.convert(all, t)), t));
    code_ = r.finish(b);
}

void Term::add(Machine &m, const std::byte *const *factors) {
    for (std::size_t k = 0; k < factors_.size(); ++k)
        std::memcpy(factors_[k].at, factors[k], static_cast<std::size_t>(sizeOf(factors_[k].type)));
    code_.run(m);
}

void ScaledStep::begin(Machine &m, int64_t o) {
    sum_.clear();
    if (beta_.isZero())
        return;
    if (addend_)
        old_.add(m, {addend_->read(m, inAddend(o))});
    else if (!out_.hasConflictResolution() && out_.hasValue(o))
        old_.add(m, {out_.read(m, o)});
}

void ScaledStep::writeResults(Machine &m) {
    const auto made = static_cast<int64_t>(results_.size()) / sizeOf(out_.type); // fewer than all if the time limit was reached
    for (int64_t o = 0; o < made; ++o)
        out_.write(m, o, results_.data() + o * sizeOf(out_.type));
    results_.clear();
}

/// The element of the addend, which has the output's shape or is broadcast to it.
int64_t ScaledStep::inAddend(int64_t o) const {
    if (addend_->count() == out_.count())
        return o;
    const std::vector<int64_t> strides = rowMajorStrides(addend_->shape);
    int64_t at = 0;
    for (std::size_t d = 1; d <= out_.shape.size(); ++d) {
        const int64_t size = out_.shape[out_.shape.size() - d], i = o % size;
        o /= size;
        if (d <= strides.size() && addend_->shape[strides.size() - d] != 1)
            at += i * strides[strides.size() - d];
    }
    return at;
}

bool nextIndex(std::vector<int64_t> &index, const std::vector<int64_t> &sizes) {
    for (std::size_t d = sizes.size(); d-- > 0;) {
        if (++index[d] < sizes[d])
            return true;
        index[d] = 0;
    }
    return false;
}

int64_t product(const std::vector<int64_t> &sizes) {
    int64_t n = 1;
    for (const int64_t s : sizes)
        n *= s;
    return n;
}

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
    std::vector<int64_t> out(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
        out[d - 1] = out[d] * shape[d];
    return out;
}

std::vector<int64_t> withoutOnes(const std::vector<int64_t> &shape) {
    std::vector<int64_t> out;
    std::copy_if(shape.begin(), shape.end(), std::back_inserter(out), [](int64_t n) { return n != 1; });
    return out;
}

} // namespace sdfgc::interpret
