#include "Symbolic/Node.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <new>

namespace sdfgc::sym {
namespace {

std::size_t mix(std::size_t h, std::size_t v) {
    h ^= v;
    h *= 0x9E3779B97F4A7C15ull;
    return h ^ h >> 29;
}

std::size_t hashOf(const NodeKey &k) {
    std::size_t h = mix(static_cast<std::size_t>(k.kind) + 1, static_cast<std::size_t>(k.a));
    h = mix(h, static_cast<std::size_t>(k.b));
    if (!k.name.empty())
        h = mix(h, k.name.hash());
    if (k.kind == SymbolicKind::Cast)
        h = mix(h, k.type.hash());
    for (Expr e : k.ops)
        h = mix(h, e.node()->hash);
    return h;
}

bool matches(const Expr::Node &n, const NodeKey &k, std::size_t hash) {
    return n.hash == hash && n.kind == k.kind && n.a == k.a && n.b == k.b && n.name == k.name && n.type == k.type &&
           n.count == k.ops.size() && std::equal(k.ops.begin(), k.ops.end(), n.ops);
}

bool all(std::span<const Expr> ops, uint8_t flag) {
    return std::all_of(ops.begin(), ops.end(), [&](Expr e) { return e.node()->has(flag); });
}

bool isNonNegativeInteger(Expr e) { return e.isInteger() && e.numerator() >= 0; }

/// Is the value an integer for all integer values of the symbols? (Members, elements and calls are of unknown type.)
bool integerValued(const NodeKey &k) {
    switch (k.kind) {
    case SymbolicKind::Integer:
    case SymbolicKind::Symbol:
    case SymbolicKind::FloorDiv:
    case SymbolicKind::CeilDiv:
    case SymbolicKind::Floor:
    case SymbolicKind::Ceil:
    case SymbolicKind::BitAnd:
    case SymbolicKind::BitOr:
    case SymbolicKind::BitXor:
    case SymbolicKind::BitNot:
    case SymbolicKind::Shl:
    case SymbolicKind::Shr:
        return true;
    case SymbolicKind::Add:
    case SymbolicKind::Mul:
    case SymbolicKind::Mod:
    case SymbolicKind::Abs:
    case SymbolicKind::Min:
    case SymbolicKind::Max:
    case SymbolicKind::Approx:
        return all(k.ops, IntegerValued);
    case SymbolicKind::Pow:
        return k.ops[0].node()->has(IntegerValued) && isNonNegativeInteger(k.ops[1]);
    case SymbolicKind::Select:
        return all(k.ops.subspan(1), IntegerValued);
    case SymbolicKind::Cast:
        return k.type.isInteger();
    default:
        return false;
    }
}

bool booleanValued(const NodeKey &k) {
    if (k.kind == SymbolicKind::Select)
        return all(k.ops.subspan(1), BooleanValued);
    return k.kind == SymbolicKind::Bool || (k.kind >= SymbolicKind::Eq && k.kind <= SymbolicKind::Not) ||
           (k.kind == SymbolicKind::Cast && k.type.isBool());
}

uint8_t flagsOf(const NodeKey &k) {
    uint8_t flags = 0;
    for (Expr e : k.ops)
        flags |= e.node()->flags & (HasUndefined | HasOverflow | HasApprox);
    if (k.kind == SymbolicKind::Undefined)
        flags |= HasUndefined | (k.a ? HasOverflow : 0);
    if (k.kind == SymbolicKind::Approx)
        flags |= HasApprox;
    if (integerValued(k))
        flags |= IntegerValued;
    if (booleanValued(k))
        flags |= BooleanValued;
    return flags;
}

unsigned degreeOf(const NodeKey &k) {
    auto degree = [](Expr e) -> unsigned { return e.node()->degree; };
    unsigned result = 0;
    switch (k.kind) {
    case SymbolicKind::Add:
        for (Expr e : k.ops)
            result = std::max(result, degree(e));
        return result;
    case SymbolicKind::Mul:
        for (Expr e : k.ops)
            result += degree(e);
        return result;
    case SymbolicKind::Pow:
        if (!k.ops[1].isInteger())
            return 1;
        return static_cast<unsigned>(degree(k.ops[0]) * std::clamp<int64_t>(k.ops[1].numerator(), 0, 1000));
    default:
        return k.kind >= SymbolicKind::Symbol ? 1 : 0;
    }
}

unsigned depthOf(const NodeKey &k) {
    unsigned depth = 0;
    for (Expr e : k.ops)
        depth = std::max<unsigned>(depth, e.node()->depth);
    return k.ops.empty() ? 0 : depth + 1;
}

uint32_t weightOf(const NodeKey &k) {
    uint64_t weight = 1;
    for (Expr e : k.ops)
        weight += e.node()->weight;
    return static_cast<uint32_t>(std::min<uint64_t>(weight, std::numeric_limits<uint32_t>::max()));
}

/// Nodes live as long as the process and are never moved. Threads meet only when they need the same shard at the same time.
class Shard {
public:
    Expr get(const NodeKey &key, std::size_t hash) {
        std::lock_guard guard(lock_);
        std::size_t mask = table_.size() - 1, at = hash & mask;
        for (; table_[at]; at = (at + 1) & mask)
            if (matches(*table_[at], key, hash))
                return Expr(table_[at]);
        const Expr::Node *node = create(key, hash);
        table_[at] = node;
        if (++used_ * 2 > table_.size())
            grow();
        return Expr(node);
    }

private:
    const Expr::Node *create(const NodeKey &k, std::size_t hash) {
        Expr *ops = nullptr;
        if (!k.ops.empty()) {
            ops = static_cast<Expr *>(allocate(k.ops.size() * sizeof(Expr)));
            std::uninitialized_copy(k.ops.begin(), k.ops.end(), ops);
        }
        return new (allocate(sizeof(Expr::Node))) Expr::Node{k.kind,
                                                             flagsOf(k),
                                                             static_cast<uint16_t>(depthOf(k)),
                                                             static_cast<uint16_t>(std::min(degreeOf(k), 60000u)),
                                                             static_cast<uint32_t>(k.ops.size()),
                                                             weightOf(k),
                                                             hash,
                                                             ops,
                                                             k.a,
                                                             k.b,
                                                             k.name,
                                                             k.type};
    }

    void *allocate(std::size_t bytes) {
        static_assert(alignof(Expr::Node) <= 8 && alignof(Expr) <= 8);
        bytes = (bytes + 7) & ~std::size_t(7);
        if (bytes > left_) {
            // Starts with small chunks: a program with a few expressions should not touch many pages in every shard.
            left_ = std::max<std::size_t>(bytes, std::min<std::size_t>(chunks_.size() + 1, 16) * 4 * 1024);
            next_ = chunks_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(left_)).get();
        }
        void *result = next_;
        next_ += bytes;
        left_ -= bytes;
        return result;
    }

    void grow() {
        std::vector<const Expr::Node *> bigger(table_.size() * 2);
        std::size_t mask = bigger.size() - 1;
        for (const Expr::Node *n : table_) {
            if (!n)
                continue;
            std::size_t at = n->hash & mask;
            while (bigger[at])
                at = (at + 1) & mask;
            bigger[at] = n;
        }
        table_ = std::move(bigger);
    }

    std::mutex lock_;
    std::vector<const Expr::Node *> table_ = std::vector<const Expr::Node *>(256);
    std::size_t used_ = 0;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::byte *next_ = nullptr;
    std::size_t left_ = 0;
};

constexpr unsigned shardBits = 4;

Expr intern(const NodeKey &key) {
    static auto *shards = new std::array<Shard, 1u << shardBits>;
    std::size_t hash = hashOf(key);
    return (*shards)[hash >> (64 - shardBits)].get(key, hash);
}

/// Does the operator compute with its operands, so that the result is undefined if one of them is?
bool absorbsUndefined(SymbolicKind k) {
    switch (k) {
    case SymbolicKind::Is:
    case SymbolicKind::IsNot:
    case SymbolicKind::And:
    case SymbolicKind::Or:
    case SymbolicKind::Select:
    case SymbolicKind::Attr:
    case SymbolicKind::Subscript:
    case SymbolicKind::Call:
    case SymbolicKind::Approx:
        return false;
    default:
        return true;
    }
}

constexpr int64_t smallFirst = -16, smallLast = 255;

Expr smallInteger(int64_t v) {
    static const auto *table = [] {
        auto *t = new std::vector<Expr>;
        for (int64_t i = smallFirst; i <= smallLast; ++i)
            t->push_back(intern({.kind = SymbolicKind::Integer, .a = i, .b = 1}));
        return t;
    }();
    return (*table)[static_cast<std::size_t>(v - smallFirst)];
}

} // namespace

Expr makeNode(const NodeKey &key) {
    if (absorbsUndefined(key.kind)) {
        const Expr *undefined = nullptr;
        for (const Expr &e : key.ops)
            if (isUndefinedValue(e) && (!undefined || e.overflowed()))
                undefined = &e;
        if (undefined)
            return *undefined;
    }
    return depthOf(key) > maxDepth ? overflow() : intern(key);
}

Expr overflow() {
    static const Expr e = intern({.kind = SymbolicKind::Undefined, .a = 1});
    return e;
}

Expr number(const Num &v) {
    switch (v.kind) {
    case Num::Kind::Exact:
        return v.d == 1 ? Expr(v.n) : intern({.kind = SymbolicKind::Rational, .a = v.n, .b = v.d});
    case Num::Kind::Real:
        return Expr::floating(v.re);
    case Num::Kind::Complex:
        return Expr::complex(v.re, v.im);
    case Num::Kind::Overflow:
        break;
    }
    return overflow();
}

std::optional<Num> asNumber(Expr e) {
    switch (e.kind()) {
    case SymbolicKind::Integer:
    case SymbolicKind::Rational:
        return exactNumber(e);
    case SymbolicKind::Float:
        return Num::real(e.floatValue());
    case SymbolicKind::Complex:
        return Num::complex(e.floatValue(), e.imagValue());
    case SymbolicKind::Bool:
        return Num(e.boolValue() ? 1 : 0);
    case SymbolicKind::Infinity:
        return Num::real(std::numeric_limits<double>::infinity());
    case SymbolicKind::NegInfinity:
        return Num::real(-std::numeric_limits<double>::infinity());
    case SymbolicKind::NaN:
        return Num::real(std::numeric_limits<double>::quiet_NaN());
    default:
        return std::nullopt;
    }
}

Expr::Expr() : Expr(smallInteger(0)) {}

Expr::Expr(int64_t v)
    : Expr(v >= smallFirst && v <= smallLast ? smallInteger(v) : intern({.kind = SymbolicKind::Integer, .a = v, .b = 1})) {}

Expr Expr::rational(int64_t num, int64_t den) { return den == 0 ? undefined() : number(Num::ratio(num, den)); }

Expr Expr::floating(double v) {
    if (std::isnan(v))
        return nan();
    if (std::isinf(v))
        return infinity(v < 0);
    return intern({.kind = SymbolicKind::Float, .a = std::bit_cast<int64_t>(v)});
}

Expr Expr::complex(double re, double im) {
    return intern({.kind = SymbolicKind::Complex, .a = std::bit_cast<int64_t>(re), .b = std::bit_cast<int64_t>(im)});
}

Expr Expr::boolean(bool v) { return intern({.kind = SymbolicKind::Bool, .a = v}); }
Expr Expr::none() { return intern({.kind = SymbolicKind::None}); }
Expr Expr::undefined() { return intern({.kind = SymbolicKind::Undefined}); }
Expr Expr::infinity(bool negative) { return intern({.kind = negative ? SymbolicKind::NegInfinity : SymbolicKind::Infinity}); }
Expr Expr::nan() { return intern({.kind = SymbolicKind::NaN}); }
Expr Expr::symbol(Name name) { return intern({.kind = SymbolicKind::Symbol, .name = name}); }

SymbolicKind Expr::kind() const { return node_->kind; }
std::span<const Expr> Expr::operands() const { return node_->operands(); }
Name Expr::name() const { return node_->name; }
Type Expr::type() const { return node_->type; }
int64_t Expr::numerator() const { return node_->a; }
int64_t Expr::denominator() const { return node_->b; }
double Expr::floatValue() const { return std::bit_cast<double>(node_->a); }
double Expr::imagValue() const { return kind() == SymbolicKind::Complex ? std::bit_cast<double>(node_->b) : 0.0; }
bool Expr::boolValue() const { return node_->a != 0; }

std::optional<int64_t> Expr::asInt() const { return isInteger() ? std::optional(numerator()) : std::nullopt; }
bool Expr::isUndefined() const { return node_->has(HasUndefined); }
bool Expr::overflowed() const { return node_->has(HasOverflow); }

std::span<const Expr> factorsOf(const Expr &e) {
    if (e.kind() != SymbolicKind::Mul)
        return {&e, 1};
    std::span<const Expr> ops = e.operands();
    return isNumber(ops[0]) ? ops.subspan(1) : ops;
}

Num coefficientOf(Expr e) {
    if (e.kind() == SymbolicKind::Mul && isNumber(e.operands()[0]))
        return *asNumber(e.operands()[0]);
    return 1;
}

} // namespace sdfgc::sym
