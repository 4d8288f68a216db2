// Loops whose bodies have any control flow: conditions on data, symbols assigned from elements, bounds in containers, flags, jumps,
// scratch, calls. Most of their iterations are independent; some accesses of each loop may be of another iteration's elements.
#include "Maker.h"

#include <algorithm>
#include <utility>

namespace sdfgc::random {

/// What is known where two paths join: what both of them have written and assigned.
void GraphMaker::Path::join(const Path &other) {
    for (std::size_t k = 0; k < written.size(); ++k)
        written[k] = written[k] && k < other.written.size() && other.written[k];
    std::erase_if(variables, [&](const Index &i) {
        return std::none_of(other.variables.begin(), other.variables.end(), [&](const Index &o) { return o.text == i.text; });
    });
    std::erase_if(reals,
                  [&](const std::string &r) { return std::find(other.reals.begin(), other.reals.end(), r) == other.reals.end(); });
}

GraphMaker::Path GraphMaker::path() const {
    Path out;
    for (const Container &c : containers_)
        out.written.push_back(c.isWritten);
    out.variables = loopVariables_;
    out.reals = reals_;
    return out;
}

void GraphMaker::follow(const Path &p) {
    for (std::size_t k = 0; k < containers_.size(); ++k)
        containers_[k].isWritten = k < p.written.size() && p.written[k];
    loopVariables_ = p.variables;
    reals_ = p.reals;
}

void GraphMaker::stateOf(Lines &out, const std::function<void()> &make) {
    touched_.clear();
    stateLines_.clear();
    onDevice_ = false;
    make();
    out.push_back("state " + label("s") + " {");
    addInside(out, stateLines_);
    out.emplace_back("}");
}

// ---------------------------------------------------------------------------------------------------- accesses

/// Does the next access differ from the others of the body, so that iterations may depend on each other?
bool GraphMaker::twists(Body &b) {
    const bool out = b.twists > 0 && random_.oneIn(5);
    b.twists -= out;
    return out;
}

/// An element of an array of the body: that of the iteration, as a rule.
std::string GraphMaker::elementOf(Body &b, const Container &c) {
    std::vector<std::string> parts;
    const auto at = std::find(b.own.begin(), b.own.end(), &c);
    const int64_t shift = at == b.own.end() ? 0 : b.shifts[static_cast<std::size_t>(at - b.own.begin())];
    for (std::size_t d = 0; d < c.shape.size(); ++d) {
        const Index &extent = c.shape[d];
        const Index own = (b.variable + shift).fits(extent) ? b.variable + shift : b.variable;
        if (d == 0 && own.fits(extent) && !twists(b)) {
            parts.push_back(own.text);
            continue;
        }
        std::optional<Index> moved;
        if (d == 0 && !loopVariables_.empty() && random_.oneIn(2)) {
            const Index &k = random_.pick(loopVariables_);
            moved = random_.oneIn(3) ? k : own + k;
        }
        parts.push_back(moved && moved->fits(extent) ? moved->text : subscriptFor(extent, knownIndices()));
    }
    return c.isScalar() ? "0" : joined(parts);
}

/// One tasklet that writes an element of an array or of scratch.
void GraphMaker::step(Body &b) {
    taken_.clear();
    std::vector<Container *> targets = random_.oneIn(3) ? b.scratch : b.own;
    if (targets == b.own)
        std::erase_if(targets, [](const Container *each) { return !each->isWritable; }); // arguments of a call
    Container *c = random_.pick(targets);
    const bool isUpdate = !b.sums.empty() && random_.oneIn(5);
    if (isUpdate)
        c = random_.pick(b.sums);
    taken_.insert(c);
    Write write{c, c->isScalar() ? "0" : elementOf(b, *c), ""};
    Operation op;
    op.label = op.head = label("code");
    std::vector<Leaf> leaves;
    for (const Index &i : knownIndices())
        leaves.push_back({i.text, ValueKind::Integer});
    for (const std::string &r : reals_)
        leaves.push_back({r, ValueKind::Real});
    const bool isOld = isUpdate || (c->isWritten && !c->isHidden && random_.oneIn(5));
    if (isOld) {
        op.reads.push_back({"z", c, isUpdate || c->isScalar() || random_.oneIn(2) ? write.subset : elementOf(b, *c), ""});
        leaves.push_back({"z", kindOf(c->type), c->accumulates});
    }
    op.writes.push_back({"o", c, write.subset, ""});
    for (std::size_t k = 1 + random_.below(2); k > 0; --k) {
        std::vector<Container *> from = random_.oneIn(2) ? b.scratch : b.own;
        std::erase_if(from, [&](const Container *each) {
            return !canRead(*each) && !(b.mayBeOld && !taken_.contains(each) && !each->isHidden); // scratch of an earlier iteration
        });
        if (from.empty() || random_.oneIn(5)) {
            const bool any = twists(b);
            std::vector<Container *> kept;
            for (Container *each : b.own)
                if (!any && !std::exchange(each->isHidden, true))
                    kept.push_back(each);
            addRead(op, leaves, knownIndices());
            for (Container *each : kept)
                each->isHidden = false;
            continue;
        }
        Container *source = random_.pick(from);
        const std::string connector(1, static_cast<char>('a' + op.reads.size()));
        op.reads.push_back({connector, source, source->isScalar() ? "0" : elementOf(b, *source), ""});
        if (const std::string type = readAs(*source); type != source->type)
            op.reads.back().type = type;
        const std::string &type = op.reads.back().type;
        leaves.push_back({connector, kindOf(type.empty() ? source->type : type), source->accumulates || type == "uint32"});
    }
    if (isUpdate)
        std::erase_if(leaves, [](const Leaf &l) { return l.text == "z"; });
    Expressions e(random_, leaves);
    if (!isUpdate)
        op.body = Lines{codeOf(write, "o", e)};
    else if (const std::size_t choice = random_.below(3); choice == 0)
        op.body = Lines{"o = max(z, " + e.whole(c->type) + ")"};
    else
        op.body = Lines{"o = z + " + e.whole(c->type)};
    place(op);
    if (c->isScalar())
        c->isWritten = true;
}

/// All elements of a scratch array.
void GraphMaker::clear(Container &c) {
    taken_.clear();
    fill(c);
}

/// An integer of data that differs between iterations.
std::string GraphMaker::dataOf(Body &b) {
    std::vector<std::string> terms;
    for (const auto &[array, bound] : b.arrays)
        terms.push_back(array->name + "[" + elementOf(b, *array) + "]");
    for (const Container *c : b.own)
        if (kindOf(c->type) == ValueKind::Integer && canRead(*c))
            terms.push_back(memlet(*c, elementOf(b, *c)));
    for (const Container *c : b.scratch)
        if (kindOf(c->type) == ValueKind::Integer && c->isWritten && c->isScalar())
            terms.push_back(c->name);
    terms.push_back(loopVariables_.empty() ? "1" : random_.pick(loopVariables_).text);
    return random_.pick(terms);
}

std::string GraphMaker::test(Body &b) {
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    std::vector<std::string> terms;
    for (const std::vector<Container *> *list : {&b.own, &b.scratch})
        for (const Container *c : *list)
            if (c->isWritten && !c->isHidden && kindOf(c->type) != ValueKind::Complex && c->type != "float16")
                terms.push_back(c->isScalar() ? c->name : memlet(*c, elementOf(b, *c)));
    std::string out = random_.oneIn(3) && !terms.empty() ? random_.pick(terms) : dataOf(b);
    if (!reals_.empty() && further(4))
        out = shared_.further.pick(reals_);
    out += std::string(" ") + random_.pick(signs) + " " + std::to_string(random_.between(0, 3));
    if (random_.oneIn(8))
        out = b.variable.text + (random_.oneIn(2) ? " > 0" : " % 2 == 0");
    if (random_.oneIn(6))
        out = "(" + out + ") " + (random_.oneIn(2) ? "and" : "or") + " (" + test(b) + ")";
    return out;
}

/// A real number of data. Edges assign it to a symbol.
std::string GraphMaker::realOf(Body &b) {
    std::vector<std::string> terms;
    for (const std::vector<Container *> *list : {&b.own, &b.scratch})
        for (const Container *c : *list)
            if (c->isWritten && !c->isHidden && kindOf(c->type) != ValueKind::Complex && c->type != "float16")
                terms.push_back(c->isScalar() ? c->name : memlet(*c, elementOf(b, *c)));
    for (const std::string &r : reals_)
        terms.push_back(r + " / 2");
    if (!loopVariables_.empty())
        terms.push_back("0.5 * " + shared_.further.pick(loopVariables_).text);
    terms.emplace_back("1.5");
    return shared_.further.pick(terms);
}

/// A scalar with an integer; null if there is none. `isUntouched`: the state under construction does not use it.
const Container *GraphMaker::scalarOf(bool isUntouched) {
    std::vector<const Container *> found;
    for (const Container &c : containers_)
        if (c.isScalar() && c.isWritten && !c.isHidden && !c.isDevice && kindOf(c.type) == ValueKind::Integer &&
            !(isUntouched && touched_.contains(&c)))
            found.push_back(&c);
    return found.empty() ? nullptr : shared_.further.pick(found);
}

/// The variable of a loop inside of a body: a new one, or one that other loops have had.
std::string GraphMaker::variableOfLoop() {
    std::vector<std::string> free = variables_;
    std::erase_if(free, [&](const std::string &v) {
        return std::any_of(loopVariables_.begin(), loopVariables_.end(), [&](const Index &i) { return i.text == v; });
    });
    const std::string fresh = label("j");
    const std::string out = !free.empty() && further(2) ? shared_.further.pick(free) : fresh;
    variables_.push_back(out);
    declare(out);
    return out;
}

// ---------------------------------------------------------------------------------------------------- blocks

/// Declares a symbol that edges assign. Others would be values that the caller has to pass.
void GraphMaker::declare(const std::string &name) {
    if (std::find(loopNames_.begin(), loopNames_.end(), name) == loopNames_.end())
        loopNames_.push_back(name);
}

void GraphMaker::assign(Lines &out, Body &b) {
    emptyState(out);
    if (!b.reals.empty() && further(2)) {
        const std::string &name = shared_.further.pick(b.reals);
        const std::string value = realOf(b);
        out.push_back(name + " = " + value);
        if (std::find(realNames_.begin(), realNames_.end(), name) == realNames_.end())
            realNames_.push_back(name);
        if (std::find(reals_.begin(), reals_.end(), name) == reals_.end())
            reals_.push_back(name);
    } else if (!b.counter.empty() && random_.oneIn(5)) {
        out.push_back(b.counter + " = " + b.counter + " + " + (random_.oneIn(3) ? dataOf(b) : "1"));
    } else {
        const auto &symbol = random_.pick(b.symbols);
        const std::string &name = symbol.first, &bound = symbol.second.text;
        std::string made = dataOf(b);
        if (name[0] == 'f' && random_.oneIn(2))
            made = test(b);
        else if (std::none_of(b.arrays.begin(), b.arrays.end(),
                              [&](const auto &a) { return made.starts_with(a.first->name + "[") && a.second.text == bound; }))
            made = "(" + made + (random_.oneIn(2) ? "" : " + " + std::to_string(random_.between(-1, 3))) + ") % (" + bound + ")";
        declare(name);
        out.push_back(name + " = " + made);
        if (std::none_of(loopVariables_.begin(), loopVariables_.end(), [&](const Index &i) { return i.text == name; }))
            loopVariables_.push_back(Index::below(name, symbol.second));
    }
    emptyState(out);
}

void GraphMaker::arms(Lines &out, Body &b, int depth) {
    const Path before = path();
    std::optional<Path> after;
    bool ended = false;
    const auto arm = [&] {
        Lines inside;
        follow(before);
        parts(inside, b, depth + 1);
        ended = random_.oneIn(6) && (b.jumps || b.returns);
        if (ended && (!b.jumps || (b.returns && random_.oneIn(3))))
            inside.push_back("return " + label("done"));
        else if (ended)
            inside.push_back(b.inner > 0 && random_.oneIn(2) ? "break " + label("leave") : "continue " + label("again"));
        else if (b.inWhile && further(4))
            ended = true, inside.push_back("break " + label("leave"));
        addInside(out, inside);
    };
    const auto join = [&] {
        Path p = path();
        if (after)
            p.join(*after);
        if (!ended)
            after = p;
    };
    std::string word = label("choice") + ": if ";
    for (std::size_t k = 1 + random_.below(2); k > 0; --k, word = "} else if ") {
        follow(before);
        out.push_back(word + test(b) + "  {");
        const bool wasOld = std::exchange(b.mayBeOld, b.mayBeOld || out.back().ends_with(" if " + b.variable.text + " > 0  {"));
        arm();
        b.mayBeOld = wasOld;
        join();
    }
    ended = false;
    follow(before);
    if (random_.oneIn(2)) {
        out.emplace_back("} else {");
        arm();
    }
    join();
    out.emplace_back("}");
    follow(after ? *after : before);
}

void GraphMaker::innerLoop(Lines &out, Body &b, int depth) {
    const std::string name = variableOfLoop();
    Index end = Index::constant(random_.between(1, 4));
    if (random_.oneIn(3) && !sizes_.empty()) {
        end = random_.pick(sizes_);
    } else if (random_.oneIn(3)) {
        const auto &[array, bound] = random_.pick(b.arrays);
        end = bound;
        end.text = memlet(*array, elementOf(b, *array));
    } else if (random_.oneIn(2) && !loopVariables_.empty()) {
        end = random_.pick(loopVariables_) + static_cast<int64_t>(random_.below(2));
    }
    if (const Container *c = further(3) ? scalarOf(false) : nullptr) {
        end = Index::constant(3);
        end.text = "min(" + c->name + ", 3)";
    }
    const Path before = path();
    Lines inside;
    const bool isWhile = random_.oneIn(6), hadJumps = std::exchange(b.jumps, !isWhile); // `continue` would not end a while loop
    const bool wasInWhile = std::exchange(b.inWhile, isWhile);
    if (isWhile) {
        emptyState(out);
        out.push_back(name + " = 0");
        end = Index::constant(random_.between(1, 3));
        out.push_back(label("loop") + ": while " + name + " < " + end.text + (random_.oneIn(2) ? "" : " and (" + test(b) + ")") +
                      " {");
    } else if (random_.oneIn(4)) {
        out.push_back(label("loop") + ": for " + name + " = " + (end - 1).text + "; " + name + " >= 0; " + name + " = " + name +
                      " - 1 {");
    } else {
        out.push_back(label("loop") + ": for " + name + " = 0; " + name + " < " + end.text + "; " + name + " = " + name + " + 1 {");
    }
    loopVariables_.push_back(Index::below(name, end));
    ++b.inner;
    parts(inside, b, depth + 1);
    --b.inner;
    b.jumps = hadJumps;
    b.inWhile = wasInWhile;
    if (isWhile) {
        emptyState(inside);
        inside.push_back(name + " = " + name + " + 1");
        emptyState(inside);
    }
    addInside(out, inside);
    out.emplace_back("}");
    follow(before);
}

void GraphMaker::part(Lines &out, Body &b, int depth) {
    switch (random_.below(depth >= 3 ? 7 : 14)) {
    case 0:
    case 1:
        assign(out, b);
        break;
    case 2: {
        std::vector<Container *> arrays = b.scratch;
        std::erase_if(arrays, [](const Container *c) { return c->isScalar(); });
        if (!arrays.empty()) {
            Container &c = *random_.pick(arrays);
            stateOf(out, [&] { clear(c); });
            break;
        }
        [[fallthrough]];
    }
    case 3:
        if (shared_.depth < 2 && random_.oneIn(2)) {
            stateOf(out, [&] {
                for (std::size_t k = 1 + random_.below(2); k > 0; --k)
                    call(b, k == 1);
            });
            break;
        }
        [[fallthrough]];
    case 4:
    case 5:
    case 6:
        stateOf(out, [&] {
            for (std::size_t k = 1 + random_.below(2); k > 0; --k)
                step(b);
        });
        break;
    case 7:
    case 8:
    case 9:
    case 10:
        arms(out, b, depth);
        break;
    case 11:
    case 12:
        innerLoop(out, b, depth);
        break;
    default:
        if (twists(b))
            state(out, 1); // any operation
        else
            arms(out, b, depth);
    }
}

void GraphMaker::parts(Lines &out, Body &b, int depth) {
    for (std::size_t k = 1 + random_.below(depth == 0 ? 4 : 2); k > 0; --k)
        part(out, b, depth);
}

// ---------------------------------------------------------------------------------------------------- the loop

void GraphMaker::iterations(Lines &out) {
    onDevice_ = false;
    const std::string name = label("i");
    loopNames_.push_back(name);
    const bool isConstant = sizes_.empty() || random_.oneIn(4);
    const Index most = isConstant ? Index::constant(random_.between(4, 6)) : random_.pick(sizes_);
    Index end = most;
    Body b;
    b.variable = Index::below(name, most);
    b.twists = random_.oneIn(8) ? 6 : static_cast<int>(random_.below(2));
    const std::vector<Index> outside = loopVariables_;
    prepare(out, b, most);
    if (random_.oneIn(8)) { // a bound in a container
        Container &bound = indexArray(out, Index::constant(1), most + 1);
        end.text = bound.name + "[0]";
    }
    const std::string begin = random_.oneIn(4) ? "1" : "0", stride = random_.oneIn(6) ? "2" : "1";
    const Path before = path();
    loopVariables_.push_back(b.variable);
    if (random_.oneIn(5))
        out.push_back(label("loop") + ": for " + name + " = " + (end - 1).text + "; " + name + " >= " + begin + "; " + name +
                      " = " + name + " - " + stride + " {");
    else
        out.push_back(label("loop") + ": for " + name + " = " + begin + "; " + name + " < " + end.text + "; " + name + " = " +
                      name + " + " + stride + " {");
    Lines inside;
    parts(inside, b, 0);
    addInside(out, inside);
    out.emplace_back("}");
    follow(before);
    if (random_.oneIn(2)) // values after the loop
        stateOf(out, [&] {
            Body after = b;
            Values low, high; // in no array: for values only
            low.fill(-1000);
            high.fill(1000);
            for (const std::string &symbol : {b.counter, name})
                if (!symbol.empty())
                    loopVariables_.push_back(Index::symbol(symbol, low, high));
            after.variable = Index::constant(0);
            for (std::size_t k = 1 + random_.below(2); k > 0; --k)
                step(after);
        });
    loopVariables_ = outside;
    for (Container *c : b.scratch)
        c->isHidden = true;
}

} // namespace sdfgc::random
