#include "Expressions.h"

namespace sdfgc::random {

ValueKind kindOf(std::string_view type) {
    if (type == "bool")
        return ValueKind::Bool;
    if (type.starts_with("complex"))
        return ValueKind::Complex;
    return type.starts_with("float") ? ValueKind::Real : ValueKind::Integer;
}

const Leaf *Expressions::leaf(ValueKind kind) {
    std::vector<const Leaf *> fitting;
    for (const Leaf &l : leaves_)
        if (l.kind == kind)
            fitting.push_back(&l);
    return fitting.empty() ? nullptr : random_.pick(fitting);
}

std::string Expressions::any(ValueKind kind, int depth) {
    switch (kind) {
    case ValueKind::Bool:
        return boolean(depth);
    case ValueKind::Integer:
        return integer(depth);
    case ValueKind::Real:
        return real(depth);
    case ValueKind::Complex:
        return complexNumber(depth);
    }
    return {};
}

std::string Expressions::comparison(int depth) {
    static const char *const signs[] = {"<", "<=", ">", ">=", "==", "!="};
    const ValueKind kind = random_.oneIn(2) ? ValueKind::Integer : ValueKind::Real;
    const std::string a = any(kind, depth - 1), b = any(kind, depth - 1);
    if (random_.oneIn(8))
        return "(" + a + " < " + b + " <= " + any(kind, 0) + ")";
    return "(" + a + " " + random_.pick(signs) + " " + b + ")";
}

std::string Expressions::boolean(int depth) {
    const Leaf *l = leaf(ValueKind::Bool);
    if (depth <= 0)
        return l ? l->text : random_.oneIn(2) ? "True" : "False";
    switch (random_.below(6)) {
    case 0:
        return "(" + boolean(depth - 1) + " and " + boolean(depth - 1) + ")";
    case 1:
        return "(" + boolean(depth - 1) + " or " + boolean(depth - 1) + ")";
    case 2:
        return "(not " + boolean(depth - 1) + ")";
    case 3:
        if (l)
            return l->text;
        [[fallthrough]];
    default:
        return comparison(depth);
    }
}

std::string Expressions::integer(int depth) {
    const Leaf *l = leaf(ValueKind::Integer);
    if (depth <= 0 || random_.oneIn(4)) {
        if (l && !random_.oneIn(8))
            return l->isLarge ? "(" + l->text + " % 61)" : l->text;
        return std::to_string(random_.between(0, 9));
    }
    const std::string a = integer(depth - 1), b = integer(depth - 1), c = std::to_string(random_.between(1, 7));
    switch (random_.below(14)) {
    case 0:
    case 1:
        return "(" + a + " + " + b + ")";
    case 2:
    case 3:
        return "(" + a + " - " + b + ")";
    case 4:
        return "((" + a + " % 31) * (" + b + " % 17))";
    case 5:
        return "(" + a + " // " + c + ")";
    case 6:
        return "(" + a + " % " + c + ")";
    case 7:
        return "min(" + a + ", " + b + ")";
    case 8:
        return "max(" + a + ", " + b + ")";
    case 9:
        return "(" + a + " if " + boolean(depth - 1) + " else " + b + ")";
    case 10:
        return "((" + a + " & 15) | " + c + ")";
    case 11:
        return "((" + a + " & 7) << " + std::to_string(random_.between(0, 3)) + ")";
    case 12:
        return "(-" + a + ")";
    default:
        return "((" + a + " % 9) ** 2)";
    }
}

std::string Expressions::real(int depth) {
    const Leaf *l = leaf(ValueKind::Real);
    if (depth <= 0 || random_.oneIn(4)) {
        if (l && !random_.oneIn(8))
            return l->isLarge ? "(" + l->text + " % 61.0)" : l->text;
        if (!leaf(ValueKind::Integer) && random_.oneIn(3))
            return std::to_string(random_.between(0, 40)) + (random_.oneIn(2) ? ".25" : ".5");
        return "(" + integer(0) + " / " + std::to_string(random_.between(2, 8)) + ")";
    }
    const std::string a = real(depth - 1), b = real(depth - 1);
    switch (random_.below(16)) {
    case 0:
    case 1:
        return "(" + a + " + " + b + ")";
    case 2:
    case 3:
    case 4:
        return "(" + a + " - " + b + ")";
    case 5:
    case 6:
        return "(" + a + " * 0.25 * (" + b + " % 5.0))";
    case 7:
        return "(" + a + " / (abs(" + b + ") + 1.5))";
    case 8:
        return "sqrt(abs(" + a + "))";
    case 9:
        return "min(" + a + ", " + b + ")";
    case 10:
        return "max(" + a + ", " + b + ")";
    case 11:
        return "(" + a + " if " + boolean(depth - 1) + " else " + b + ")";
    case 12:
        return "abs(" + a + ")";
    case 13:
        return "sin(" + a + ")";
    case 14:
        return "(-" + a + ")";
    default:
        return "(" + a + " * " + std::to_string(random_.between(-2, 2)) + ")";
    }
}

std::string Expressions::complexNumber(int depth) {
    const Leaf *l = leaf(ValueKind::Complex);
    if (depth <= 0 || random_.oneIn(4)) {
        if (l && !random_.oneIn(4))
            return l->text;
        return "(" + real(0) + " + 2j)";
    }
    const std::string a = complexNumber(depth - 1), b = complexNumber(depth - 1);
    switch (random_.below(4)) {
    case 0:
        return "(0.5 * (" + a + " + " + b + "))";
    case 1:
        return "(0.5 * (" + a + " - " + b + "))";
    case 2:
        return "(-" + a + ")";
    default:
        return "(0.25 * " + a + " + (min(max(" + real(0) + ", -9.0), 9.0)))";
    }
}

std::string Expressions::value(std::string_view type) {
    const ValueKind kind = kindOf(type);
    const bool small = type == "float16" || type == "uint8" || type == "int8";
    if (kind == ValueKind::Bool)
        return boolean(2);
    if (kind == ValueKind::Complex)
        return complexNumber(2);
    if (kind == ValueKind::Integer && !random_.oneIn(6)) {
        const std::string e = integer(3);
        if (random_.oneIn(2))
            return e + (small ? " % 100" : " % 997");
        return small ? "min(max(" + e + ", 0), 100)" : "min(max(" + e + ", -500), 500)";
    }
    const std::string e = real(3), limit = small ? "100" : "1000";
    if (kind == ValueKind::Integer)
        return "min(max(" + e + ", " + (type == "uint8" ? "0" : "-" + limit) + ".0), " + limit + ".0)";
    if (random_.oneIn(2))
        return "(" + e + ") % " + (small ? "61.0" : "509.0");
    return "min(max(" + e + ", -" + limit + ".0), " + limit + ".0)";
}

std::string Expressions::whole(std::string_view type) {
    switch (kindOf(type)) {
    case ValueKind::Bool:
        return boolean(2);
    case ValueKind::Integer:
        return integer(2) + " % 8";
    case ValueKind::Real:
    case ValueKind::Complex:
        // Adding zero turns a negative zero into a positive one.
        return random_.oneIn(2) ? "round(min(max(" + real(2) + ", -8.0), 8.0)) + 0.0" : integer(2) + " % 8";
    }
    return {};
}

std::string Expressions::sign(std::string_view) { return "1 - 2 * (" + integer(1) + " % 2)"; }

} // namespace sdfgc::random
