// Variables: their declarations and memory.
#include "Translator.h"

#include "../Values.h"

namespace sdfgc::interpret {

using namespace tree;

namespace {

// ---------------------------------------------------------------------------------------------------- memory

/// The buffer of a slot for the current thread; none before the first use.
std::shared_ptr<Buffer> &memoryOf(Slot &s, TreeMachine &m) {
    const std::size_t side = s.ofBlock ? 0 : m.side;
    if (s.memory.size() <= side)
        s.memory.resize(side + 1);
    return s.memory[side];
}

/// The number of elements that memory is allocated for when `count` are requested.
int64_t checkedCount(int64_t count, const Slot &s, Machine &m) {
    if (count < 0)
        m.report(FaultKind::NegativeSize, nullptr, "`" + s.name.str() + "` has a size of " + std::to_string(count));
    if (count > m.options.largest / s.unit)
        m.report(FaultKind::TooLarge, nullptr,
                 "`" + s.name.str() + "` has a size of " + std::to_string(count) + ", for which there is no memory");
    return count > m.options.largest / s.unit ? 0 : std::max<int64_t>(count, 0);
}

/// Memory of `a` elements for a declaration; `to` gets its address, `b` elements from the start.
const Instruction *makeMemoryNow(const Instruction *i, Machine &machine) {
    TreeMachine &m = treeMachine(machine);
    auto &s = ownOf<Slot>(i);
    std::shared_ptr<Buffer> &memory = memoryOf(s, m);
    if (!s.ofBlock || s.block != m.block || !memory)
        renew(s, memory, checkedCount(as<int64_t>(i->a), s, m), m);
    s.block = m.block;
    as<Pointer>(i->to) = {memory.get(), i->b ? as<int64_t>(i->b) * s.unit : 0};
    return i + 1;
}

/// The effect of a late allocation: memory of the same size keeps its contents until the declaration is executed again.
struct Allocation {
    Slot *slot;
    bool reserve, zero;
    const Site *site;
};

const Instruction *allocateNow(const Instruction *i, Machine &machine) {
    TreeMachine &m = treeMachine(machine);
    const auto &x = *static_cast<const Allocation *>(i->extra);
    Slot &s = *x.slot;
    std::shared_ptr<Buffer> &memory = memoryOf(s, m);
    const int64_t count = checkedCount(as<int64_t>(i->a), s, m);
    const bool isNew = s.isDeclared && !as<Pointer>(i->to).buffer;
    if (!memory || memory->isReleased || x.reserve || isNew || memory->bytes != count * s.unit)
        renew(s, memory, count, m);
    if (x.zero) {
        m.noteWrite(*memory, 0, memory->bytes, nullptr, x.site);
        std::fill_n(memory->memory, memory->bytes, std::byte(0));
    }
    as<Pointer>(i->to) = {memory.get(), i->b ? as<int64_t>(i->b) * s.unit : 0};
    return i + 1;
}

/// Frees the memory at `a`: nothing may use it concurrently or afterwards.
const Instruction *releaseNow(const Instruction *i, Machine &m) {
    if (Buffer *buffer = as<Pointer>(i->a).buffer) {
        if (buffer->bytes > 0)
            m.noteWrite(*buffer, 0, buffer->bytes, nullptr, static_cast<const Site *>(i->extra));
        buffer->release();
    }
    return i + 1;
}

/// Accesses memory in smaller elements of `n` bytes.
const Instruction *refineNow(const Instruction *i, Machine &) {
    if (Buffer *buffer = as<Pointer>(i->a).buffer)
        buffer->refine(i->n);
    return i + 1;
}

struct PointerMember {
    Name name;
    int64_t unit; // bytes of an element
};

/// The memory of `b` elements that a field points to, in the caller's structure at `a`, `n` bytes from its start.
const Instruction *loadMemberNow(const Instruction *i, Machine &m) {
    const auto &x = *static_cast<const PointerMember *>(i->extra);
    const Pointer structure = as<Pointer>(i->a);
    auto &to = as<Pointer>(i->to);
    to = {};
    if (!structure.buffer)
        return i + 1;
    auto *const address = as<std::byte *>(structure.buffer->memory + structure.offset + i->n);
    if (const auto buffer = m.behind(address, x.name, as<int64_t>(i->b) * x.unit, x.unit)) {
        buffer->space = Space::Both; // the tree does not say where members are
        to.buffer = buffer.get();
    }
    return i + 1;
}

Space spaceOf(VarKind k, bool onDevice) {
    switch (k) {
    case VarKind::DeviceBuffer:
    case VarKind::PoolBuffer:
    case VarKind::Shared:
        return Space::Device;
    case VarKind::PinnedBuffer:
        return Space::Both;
    default:
        return onDevice ? Space::Device : Space::Host;
    }
}

} // namespace

void renew(Slot &s, std::shared_ptr<Buffer> &memory, int64_t elements, Machine &m) {
    // An element of one byte may be a truth value, which is 0 or 1.
    const auto content = std::byte(s.zeroed ? 0 : s.unit == 1 ? m.options.unwritten & 1 : m.options.unwritten);
    if (!memory)
        memory = std::make_shared<Buffer>(s.name, 0, s.unit);
    memory->renew(elements, s.unit, content);
    memory->isShared = s.isShared;
    memory->space = s.space;
    if (s.zeroed)
        memory->cells.assign(memory->cells.size(), Cell{{m.order.now}, {}});
}

Space spaceOf(ir::Storage s) {
    switch (s) {
    case ir::Storage::GPU_Global:
    case ir::Storage::GPU_Shared:
        return Space::Device;
    case ir::Storage::CPU_Pinned:
        return Space::Both;
    default:
        return Space::Host;
    }
}

/// `isOfThread`: it is invisible to other threads.
Location Translator::memory(const Variable &v, bool isOfThread) {
    Slot s;
    s.name = v.name;
    s.unit = std::max<int64_t>(sizeOf(v.type), 1);
    s.space = spaceOf(v.kind, frame().function.kernel || frame().function.device);
    s.zeroed = v.zeroed;
    s.isShared = !isOfThread;
    s.ofBlock = v.kind == VarKind::Shared;
    Location p;
    p.type = v.type;
    p.pointer = b().reserve(Type::pointer(v.type));
    p.slot = &m_.keep(std::move(s));
    return p;
}

void Translator::makeMemory(const Location &p, Operand count, Operand start) {
    b().emit({makeMemoryNow, p.pointer.at, count.at, start.at, 1, p.slot});
}

/// From now on, the memory at an address is tracked in elements of this size, if that is smaller than its own.
void Translator::refine(Operand at, int64_t bytes) { b().emit({refineNow, nullptr, at.at, nullptr, bytes}); }

/// Puts a value into separate memory, for code that needs its address.
Location Translator::keeping(Type t, Operand value) {
    Variable v;
    v.name = Name("value");
    v.type = t;
    const Location p = memory(v, inThreads_);
    makeMemory(p, b().constant(ScalarKind::Int64, int64_t(1)), {});
    b().storeAt(p.pointer, b().convert(value, t));
    return p;
}

// ---------------------------------------------------------------------------------------------------- declarations

void Translator::declareValue(const Variable &v, Location &p, const py::ExprRef &init) {
    if (init && !frame().changed.count(v.name)) {
        const Operand value = b().convert(b().expression(*init), v.type);
        p.type = v.type;
        p.value = b().reserve(v.type);
        b().copy(p.value, value);
        return;
    }
    p = memory(v, inThreads_);
    const Operand one = b().constant(ScalarKind::Int64, int64_t(1));
    const bool copies = init && elementType(*init) == v.type;
    const Operand value = copies ? elementAddress(*init) : init ? b().convert(b().expression(*init), v.type) : Operand();
    makeMemory(p, one, {});
    if (copies)
        copyElements(p.pointer, value, one, v.type);
    else if (value)
        b().storeAt(p.pointer, value);
}

namespace {

/// Does each thread of a team have a part of it?
bool hasParts(sym::Expr count) {
    const auto operands = count.operands();
    return (count.kind() == sym::SymbolicKind::Call && count.name() == number::teamSize) ||
           std::any_of(operands.begin(), operands.end(), [](sym::Expr e) { return hasParts(e); });
}

} // namespace

void Translator::translate(const Declare &d) {
    const Variable &v = variable(d.var);
    Location p;
    p.type = v.type;
    switch (v.kind) {
    case VarKind::Value:
        declareValue(v, p, d.init);
        break;
    case VarKind::Stack:
    case VarKind::Shared:
    case VarKind::Buffer:
    case VarKind::DeviceBuffer:
    case VarKind::PinnedBuffer:
    case VarKind::PoolBuffer:
        p = memory(v, (inThreads_ && v.kind != VarKind::Shared) || hasParts(v.count));
        if (v.countKnown) {
            makeMemory(p, b().symbolic(v.count), v.startOffset.isZero() ? Operand() : b().symbolic(v.startOffset));
        } else {
            p.slot->isDeclared = true;
            b().copy(p.pointer, b().constant(p.pointer.type, Pointer()));
        }
        break;
    case VarKind::Pointer:
    case VarKind::StructPtr:
    case VarKind::Reference: {
        p.pointer = b().reserve(Type::pointer(v.type));
        const bool element =
            v.kind == VarKind::Reference || (v.kind == VarKind::StructPtr && d.target && !reference(d.target).address);
        const Operand target = !d.target ? b().constant(p.pointer.type, Pointer())
                               : element ? pointerTo(d.target)
                                         : valueAt(d.target);
        b().copy(p.pointer, target);
        break;
    }
    case VarKind::Stream:
    case VarKind::StreamRef:
    case VarKind::StreamView:
        declareQueues(d, v, p);
        break;
    default:
        refuse("a variable of this kind: `" + v.name.str() + "`");
    }
    frame().places[static_cast<std::size_t>(d.var.index)] = p;
    frame().visible[v.name] = d.var;
}

void Translator::translate(const Allocate &a) {
    const Location &p = place(a.var);
    if (!p.slot) {
        refuse("an allocation of `" + variable(a.var).name.str() + "`");
        return;
    }
    const sym::Expr start = variable(a.var).startOffset;
    const Operand count = b().symbolic(a.count), at = start.isZero() ? Operand() : b().symbolic(start);
    const bool pool = variable(a.var).kind == VarKind::PoolBuffer;
    if (pool)
        onStream(a.stream, true);
    b().emit({allocateNow, p.pointer.at, count.at, at.at, 1, &m_.keep(Allocation{p.slot, a.reserve, a.zero, b().site()})});
    if (pool)
        onStream(a.stream, false);
}

void Translator::translate(const Release &r) {
    const Location &p = place(r.var);
    onStream(r.stream, true);
    b().emit({releaseNow, nullptr, p.pointer.at, nullptr, 1, b().site()});
    onStream(r.stream, false);
}

// ---------------------------------------------------------------------------------------------------- places

Location &Translator::place(VarId v) {
    Location &p = frame().places[static_cast<std::size_t>(v.index)];
    if (p)
        return p;
    const Variable &x = variable(v);
    if (isConstant(x))
        return p = constant(x);
    switch (x.kind) { // these are never declared
    case VarKind::Member:
        return m_.keep(member(x)); // according to the structure's current content
    case VarKind::StateField:
        p = field(x);
        break;
    default:
        refuse("the variable `" + x.name.str() + "`, which is not declared");
        p.type = x.type;
        p.pointer = b().reserve(Type::pointer(x.type));
    }
    return p;
}

Location Translator::member(const Variable &v) {
    Location out;
    out.type = v.type;
    const Location &structure = place(v.parent);
    const auto at = structure.type.isStruct() ? offsetOf(structure.type, v.name) : std::nullopt;
    const std::optional<Type> field = structure.type.isStruct() ? structure.type.field(v.name) : std::nullopt;
    if (at && field && field->isPointer()) {
        out.pointer = b().reserve(Type::pointer(v.type));
        const Operand count = v.type.isStruct() ? b().constant(ScalarKind::Int64, int64_t(1)) : b().symbolic(v.count);
        b().emit({loadMemberNow, out.pointer.at, pointerTo(structure).at, count.at, *at,
                  &m_.keep(PointerMember{v.name, std::max<int64_t>(sizeOf(v.type), 1)})});
        return out;
    }
    if (!at || !field) {
        refuse("the member `" + v.name.str() + "` of `" + variable(v.parent).name.str() + "`");
        out.pointer = b().reserve(Type::pointer(v.type));
        return out;
    }
    const Operand bytes{Type::pointer(ScalarKind::UInt8), pointerTo(structure).at};
    out.pointer = {Type::pointer(v.type), b().advance(bytes, b().constant(ScalarKind::Int64, *at)).at};
    refine(out.pointer, 1);
    return out;
}

Location Translator::field(const Variable &v) {
    Location &p = fields_[v.name];
    if (p)
        return p;
    for (const StateField &f : module_.fields) {
        if (f.name != v.name)
            continue;
        Variable as;
        as.name = f.name;
        as.type = f.type;
        as.zeroed = f.zeroed;
        if (f.isStream)
            refuse("the field `" + f.name.str() + "`, a stream");
        p = memory(as, hasParts(f.count));
        p.slot->space = spaceOf(f.storage);
        return p;
    }
    refuse("the field `" + v.name.str() + "` of the state");
    p.type = v.type;
    p.pointer = b().reserve(Type::pointer(v.type));
    return p;
}

namespace {

/// A C++ literal in Python syntax.
std::string pythonText(const std::string &literal) {
    static const std::map<std::string, std::string> words = {
        {"true", "True"}, {"false", "False"}, {"NAN", "nan"}, {"INFINITY", "inf"}, {"-INFINITY", "-inf"}};
    const auto word = words.find(literal);
    return word != words.end() ? word->second : literal;
}

} // namespace

/// Is it a constant of the module: an array or a value?
bool Translator::isConstant(const Variable &v) const {
    const ConstantDef *value = v.isConst && v.kind == VarKind::Value ? constantNamed(v.name) : nullptr;
    return v.kind == VarKind::Constant || (value && !value->isArray);
}

const ConstantDef *Translator::constantNamed(Name name) const {
    for (const ConstantDef &c : module_.constants)
        if (c.name == name)
            return &c;
    return nullptr;
}

Location Translator::constant(const Variable &v) {
    Location &p = constants_[v.name];
    if (p)
        return p;
    p.type = v.type;
    p.pointer = b().reserve(Type::pointer(v.type));
    const ConstantDef *def = constantNamed(v.name);
    if (!def) {
        refuse("the constant `" + v.name.str() + "`");
        return p;
    }
    auto &memory = m_.keep(std::make_shared<Buffer>(v.name, static_cast<int64_t>(std::max<std::size_t>(def->values.size(), 1)),
                                                    std::max<int64_t>(sizeOf(v.type), 1)));
    memory->space = Space::Both;
    memory->cells.assign(memory->cells.size(), Cell{{beforeTheCall}, {}});
    for (std::size_t k = 0; k < def->values.size(); ++k) {
        const auto parsed = py::parseExpr(pythonText(def->values[k]));
        Builder once(m_, *this, Division::Symbolic, nullptr);
        const Operand value = parsed.value ? once.convert(once.expression(**parsed.value), v.type) : once.refuse(def->values[k]);
        const Code code = once.take();
        if (!once.refusal().empty()) {
            refuse("the constant `" + v.name.str() + "`: " + once.refusal());
            return p;
        }
        code.run(m_);
        std::copy_n(value.at, memory->unit, memory->memory + static_cast<int64_t>(k) * memory->unit);
    }
    as<Pointer>(p.pointer.at) = {memory.get(), 0};
    return p;
}

} // namespace sdfgc::interpret
