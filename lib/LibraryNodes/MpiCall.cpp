#include "MpiCall.h"

#include "sdfgc/Analysis/Scopes.h"
#include "sdfgc/IR/StateGraph.h"

#include <algorithm>
#include <array>

namespace sdfgc::libnodes {

using namespace ir;

namespace {

/// The innermost map around a node, through all nested SDFGs, whose iterations may run in parallel; null if there is none.
const MapEntry *parallelMapAround(const Node &n) {
    for (const Node *at = &n; at;) {
        const State &s = *at->state();
        for (const Node *scope : analysis::ScopeTree(s).enclosing(at))
            if (const auto *map = dyn_cast<MapEntry>(scope); map && map->schedule != Schedule::Sequential)
                return map;
        at = s.sdfg()->parentNode;
    }
    return nullptr;
}

/// Text for a literal of C++ in single quotes of the tasklet's language.
std::string plain(std::string text) {
    for (char &c : text)
        if (c == '"' || c == '\'' || c == '\\' || static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return text;
}

bool travels(Type t) {
    if (t.isVector())
        return travels(t.element());
    return t.isScalar() && t.scalar() != ScalarKind::Void && t.bytes().value_or(0) > 0;
}

struct Operator {
    std::string_view mpi;
    py::Reduction lambda;
    std::string_view own;
};
constexpr std::array<Operator, 10> operators{{
    {"MPI_SUM", py::Reduction::Sum, "Sum"},
    {"MPI_PROD", py::Reduction::Product, "Prod"},
    {"MPI_MIN", py::Reduction::Min, "Min"},
    {"MPI_MAX", py::Reduction::Max, "Max"},
    {"MPI_LAND", py::Reduction::LogicalAnd, "LogicalAnd"},
    {"MPI_LOR", py::Reduction::LogicalOr, "LogicalOr"},
    {"MPI_LXOR", py::Reduction::LogicalXor, "LogicalXor"},
    {"MPI_BAND", py::Reduction::BitAnd, "BitAnd"},
    {"MPI_BOR", py::Reduction::BitOr, "BitOr"},
    {"MPI_BXOR", py::Reduction::BitXor, "BitXor"},
}};

/// Does MPI, or the runtime, support this operator for elements of a type?
bool reduces(std::string_view own, Type t) {
    const bool isOrder = own == "Min" || own == "Max", isNumber = own == "Sum" || own == "Prod";
    if (t.isComplex())
        return isNumber;
    if (t.isFloat())
        return isNumber || isOrder;
    if (t == Type(ScalarKind::Bool))
        return own.starts_with("Logical");
    return t.isInteger();
}

} // namespace

MpiCall::MpiCall(State &s, LibraryNode &n, pass::Context &c) : x_(s, n, c) {
    arguments_.push_back("'\"" + plain(n.className() + " `" + n.label + "` (state " + s.label + ")") + "\"'");
    if (x_.where() == Where::Kernel)
        refuse("a kernel cannot call MPI", "let the node compute on the host, outside of the map");
    else if (const MapEntry *map = parallelMapAround(n))
        refuse("it is in the map `" + map->label +
                   "`, whose iterations may run concurrently: MPI cannot distinguish their messages",
               "give the map the schedule Sequential");
}

void MpiCall::refuse(std::string why, std::string hint) {
    if (!refused_)
        x_.refuse(std::move(why), std::move(hint));
    refused_ = true;
}

Operand MpiCall::operand(const char *connector, Side side) {
    Operand o = side == In ? x_.input(connector) : x_.output(connector);
    if (!o)
        refuse("its operand `" + std::string(connector) + "` is missing");
    else if (side == Out && !o.edge->memlet.wcr.empty())
        refuse("`" + std::string(connector) + "` has conflict resolution",
               "a reduction across ranks needs a separate node, Reduce or Allreduce");
    else if (side == Out)
        o.edge->memlet.dynamic = true;
    return o;
}

std::string MpiCall::pointer(const char *connector, Side side, const Operand &o) {
    x_.bind(connector, o);
    (side == In ? inputs_ : outputs_).emplace_back(connector);
    return (side == In ? "_in" : "_out") + std::string(connector);
}

void MpiCall::buffer(const char *connector, Side side) {
    const Operand o = operand(connector, side);
    if (refused_)
        return;
    if (!travels(o.type))
        return refuse("elements of type " + o.type.str() + " at `" + connector + "` have no meaning on another rank");
    arguments_.push_back(blockOf(pointer(connector, side, o), o));
    types_.push_back(o.type);
}

std::string MpiCall::blockOf(const std::string &pointer, const Operand &o) {
    std::string text = "block(" + pointer;
    for (std::size_t d = 0; d < o.rank(); ++d)
        text += ", " + x_.word("extent", o.shape[d]) + ", " + x_.word("stride", o.strides[d]);
    return text + ")";
}

void MpiCall::parts(const char *counts, const char *places) {
    integers(counts);
    if (x_.node().inEdge(places))
        integers(places);
    else
        arguments_.emplace_back("consecutive()");
}

/// Integers at a connector, one for each rank.
void MpiCall::integers(const char *connector) {
    const Operand o = operand(connector, In);
    if (refused_)
        return;
    if (!o.type.isInteger() || o.type.isVector())
        return refuse("`" + std::string(connector) + "` must hold an integer for each rank, not " + o.type.str());
    arguments_.push_back(blockOf(pointer(connector, In, o), o));
}

void MpiCall::number(const char *connector) {
    if (!x_.node().inEdge(connector)) {
        const std::string given = x_.text(connector + 1);
        if (given.empty())
            return refuse("its operand `" + std::string(connector) + "` is missing");
        arguments_.push_back(given);
        return;
    }
    const Operand o = operand(connector, In);
    if (refused_)
        return;
    if (!o.type.isInteger() || o.rank() != 0)
        return refuse("`" + std::string(connector) + "` must be one integer, not " + o.type.str() +
                      (o.rank() ? " in an array" : ""));
    x_.bind(connector, o);
    inputs_.emplace_back(connector);
    byValue_.emplace(connector);
    arguments_.push_back("_in" + std::string(connector));
}

void MpiCall::request(Side side) {
    const Operand o = operand("_request", side);
    if (refused_)
        return;
    if (!(o.type == Type::opaque("MPI_Request")))
        return refuse("`_request` must be of the opaque type MPI_Request, not " + o.type.str());
    if (o.rank() > 1 || (o.rank() == 1 && !o.strides[0].isOne()))
        return refuse("`_request` must be one request, or several contiguous ones");
    x_.bind("_request", o);
    (side == In ? inputs_ : outputs_).emplace_back("_request");
    arguments_.push_back(side == In ? "_in_request" : "_out_request");
}

void MpiCall::requestCount() {
    if (refused_)
        return;
    const Operand o = x_.input("_request");
    arguments_.push_back(o.rank() ? x_.word("count", o.shape[0]) : "1");
}

void MpiCall::status(const char *connector) {
    if (!x_.node().outEdge(connector) || refused_)
        return arguments_.push_back(cppWord("nullptr"));
    const Operand o = operand(connector, Out);
    if (!refused_ && (!(o.type == Type(ScalarKind::Int32)) || o.rank() != 0))
        return refuse("`" + std::string(connector) + "` must be one int32");
    x_.bind(connector, o);
    outputs_.emplace_back(connector);
    arguments_.push_back("_out" + std::string(connector));
}

void MpiCall::operation() {
    const std::string text = x_.text("op", "MPI_SUM");
    const py::Reduction lambda = py::parseWcr(text).value.value_or(py::Wcr()).kind;
    const Operand o = x_.input("_inbuffer");
    for (const Operator &op : operators) {
        if (text != op.mpi && lambda != op.lambda)
            continue;
        const Type element = o.type && o.type.isVector() ? o.type.element() : o.type;
        if (o && !reduces(op.own, element))
            return refuse("there is no " + std::string(op.mpi) + " of elements of type " + o.type.str());
        arguments_.push_back(cppWord("sdfgc::mpi::Op::" + std::string(op.own)));
        return;
    }
    refuse(
        "`" + text + "` is not an MPI operator for reductions",
        "one of MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, or a lambda such as "
        "`lambda a, b: a + b`");
}

void MpiCall::sameTypes() {
    if (!refused_ && types_.size() == 2 && !(types_[0] == types_[1]))
        refuse("it takes " + types_[0].str() + " and gives " + types_[1].str() + ": MPI does not convert");
}

void MpiCall::ranks() {
    if (refused_)
        return;
    if (x_.node().inEdge("_comm")) {
        handle("_comm", "MPI_Comm", In);
        if (!refused_)
            arguments_.back() = "comm(" + arguments_.back() + ")";
    } else if (const std::string variable = x_.text("fcomm"); !variable.empty()) {
        arguments_.push_back("fortran(" + variable + ")");
    } else if (x_.node().properties.find("grid") && !x_.text("grid").empty()) {
        arguments_.push_back("grid(" + x_.text("grid") + ")");
    } else {
        arguments_.push_back("world()");
    }
}

void MpiCall::communicator() { handle("_comm", "MPI_Comm", Out); }

void MpiCall::ownNumber() {
    const std::string given = x_.text("number");
    if (given.empty() || given.find_first_not_of("0123456789") != std::string::npos)
        return refuse("it has no number", "run the pass resolve-process-grids first");
    arguments_.push_back(given);
}

/// One handle of MPI, as a pointer.
void MpiCall::handle(const char *connector, const char *type, Side side) {
    const Operand o = operand(connector, side);
    if (refused_)
        return;
    if (!(o.type == Type::opaque(type)) || o.rank() != 0)
        return refuse("`" + std::string(connector) + "` must be one value of the opaque type " + type + ", not " + o.type.str());
    arguments_.push_back(pointer(connector, side, o));
}

void MpiCall::grid(const char *property, bool isOptional) {
    const std::string given = x_.text(property);
    if (!given.empty() && given.find_first_not_of("0123456789") == std::string::npos)
        arguments_.push_back("grid(" + given + ")");
    else if (!isOptional)
        refuse("it has no process grid at `_" + std::string(property) + "`");
}

void MpiCall::subArray(const char *property) {
    const json::Value *v = x_.node().properties.find(property);
    if (!v || !v->isObject())
        return refuse("it has no sub-array");
    std::string text = "subarray(";
    for (const char *key : {"shape", "block", "along"}) {
        std::vector<std::string> words;
        for (const json::Value &item : v->get(key)->items()) {
            const sym::ParseResult parsed = sym::parse(item.text());
            if (!parsed.expr)
                return refuse("`" + item.text() + "` in its sub-array is not a size");
            words.push_back(x_.word("block", x_.inside(*parsed.expr)));
        }
        text += "dims(";
        for (std::size_t i = 0; i < words.size(); ++i)
            text += (i ? ", " : "") + words[i];
        text += "), ";
    }
    arguments_.push_back(text + v->get("grid")->text() + ")");
}

void MpiCall::dimension(const char *connector) {
    if (refused_)
        return;
    const Operand o = x_.output(connector);
    const int64_t asked = x_.integer("dimension", -1);
    const auto at = std::find(o.dims.begin(), o.dims.end(), static_cast<std::size_t>(asked));
    if (asked < 0 || at == o.dims.end())
        return refuse("`dimension` must be one of more than one element, counted from 0");
    arguments_.push_back(std::to_string(at - o.dims.begin()));
}

void MpiCall::size(const char *property) {
    const sym::ParseResult parsed = sym::parse(x_.text(property));
    if (!parsed.expr)
        return refuse("its property `" + std::string(property) + "` must be a size");
    if (!refused_)
        arguments_.push_back(x_.word(property, x_.inside(*parsed.expr)));
}

void MpiCall::moved() {
    std::vector<Name> connectors;
    for (const Edge *e : x_.node().inEdges())
        if (e->dstConn.view().starts_with("_buffer"))
            connectors.push_back(e->dstConn);
    for (const Name n : connectors) {
        const Operand in = x_.input(n), out = x_.output(n);
        x_.bind(n, in);
        inputs_.push_back(n);
        if (out)
            outputs_.push_back(n);
        arguments_.push_back((out ? "_out" : "_in") + n.str());
    }
}

bool MpiCall::finish(const std::string &function, const std::string &object, const char *environment) {
    if (refused_)
        return false;
    LibraryCall call;
    call.environment = environment;
    call.function = object + "." + function;
    call.arguments = arguments_;
    call.byValue = byValue_;
    State &s = x_.addState(function);
    Tasklet *t = x_.call(s, function, inputs_, outputs_, call);
    t->sideEffects = true;
    if (t->environments.front() != Name("MPI"))
        t->environments.insert(t->environments.begin(), Name("MPI")); // its object uses that of MPI
    for (Edge *e : t->outEdges())
        e->memlet.dynamic = true;
    x_.took(environment, "the node communicates");
    x_.finish();
    return true;
}

} // namespace sdfgc::libnodes
