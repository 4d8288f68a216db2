// Directions are random, and the change of each argument is proportional to its size. Differences of results with steps h and h/2
// are extrapolated to step 0 (Richardson). If no step is given, the best of several is used: long ones where a program is smooth,
// short ones near its kinks.
#include "Driver/Execution/GradientCheck.h"

#include "Driver/Execution/Interpretation.h"
#include "Driver/Execution/ProgramRun.h"

#include "sdfgc/Analysis/Memory/Access.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <ostream>

namespace sdfgc::driver {
namespace {

using Vector = std::vector<double>;
using Vectors = std::map<std::string, Vector>; // elements of arguments in row-major order

Vector elementsOf(const run::Argument &a, std::string_view memory) {
    const std::size_t size = static_cast<std::size_t>(a.dtype.size);
    Vector out;
    const auto take = [&](int64_t at) {
        out.push_back(run::valueOf(a.type, memory.substr(static_cast<std::size_t>(at) * size, size)));
    };
    if (a.isArray)
        run::forEachElement(a.shape, a.strides, take);
    else
        take(0);
    return out;
}

void setElements(run::Argument &a, const Vector &values) {
    const std::size_t size = static_cast<std::size_t>(a.dtype.size);
    std::size_t next = 0;
    const auto put = [&](int64_t at) {
        std::string bytes;
        run::store(a.type, run::Number{.value = values[next++]}, bytes);
        a.data.replace(static_cast<std::size_t>(at) * size, size, bytes);
    };
    if (a.isArray)
        run::forEachElement(a.shape, a.strides, put);
    else
        put(0);
}

/// The accuracy of differences for programs that compute in a given type. A step h has an error of h^4, and rounding one of unit /
/// h: the fewer digits, the longer the best step.
struct Precision {
    double unit; // relative rounding error
    double tolerance;
    std::vector<double> steps;
};

/// Nothing for a type with so few digits that no step can distinguish a right gradient from a wrong one.
std::optional<Precision> precisionOf(Type t) {
    switch (t.scalar()) {
    case ScalarKind::Float64:
        return Precision{4e-16, 1e-6, {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}};
    case ScalarKind::Float32:
        return Precision{1e-7, 1e-2, {1e-1, 1e-2, 1e-3}};
    case ScalarKind::Float16:
        return Precision{1e-3, 1e-1, {0.5, 0.25, 0.12, 0.06, 0.03}};
    default:
        return std::nullopt;
    }
}

/// A container of the least precise real type that a program computes in.
const ir::DataDesc *coarsest(const ir::SDFG &g, Name &name) {
    const ir::DataDesc *out = nullptr;
    double most = 0;
    for (const ir::SDFG *each : ir::allSDFGs(g))
        for (const auto &[n, d] : each->arrays) {
            const auto p = precisionOf(d.dtype);
            const double unit = !d.dtype.isFloat() ? 0 : p ? p->unit : 1;
            if (unit > most) {
                most = unit;
                name = n;
                out = &d;
            }
        }
    return out;
}

/// `A[1, 2]` for the element at a row-major position.
std::string elementName(const run::Argument &a, std::size_t position) {
    std::vector<std::string> at(a.shape.size());
    for (std::size_t d = at.size(); d-- > 0;) {
        const auto n = static_cast<std::size_t>(a.shape[d]);
        at[d] = std::to_string(position % n);
        position /= n;
    }
    return a.name.str() + (at.empty() ? "" : "[" + text::joined(at, ", ") + "]");
}

std::string number(double value, const char *format = "%.10g") {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// A program in the interpreter, with its arguments.
class Executed {
public:
    bool prepare(Session &s, const ir::SDFG &g, const run::ArgumentOptions &given, const std::string &file) {
        session_ = &s;
        file_ = file;
        auto arguments = run::prepare(run::interfaceOf(g), given, s.diags);
        if (arguments)
            arguments_ = std::move(*arguments);
        subject_ = arguments ? validate::interpreted(g, {false, file}, s.diags) : nullptr;
        return subject_ != nullptr;
    }
    run::Argument &argument(const std::string &name) { return const_cast<run::Argument &>(*arguments_.find(name)); }
    Vector given(const std::string &name) { return elementsOf(argument(name), argument(name).data); }
    /// Copies the contents of another program's arguments.
    void takeFrom(const Executed &other) {
        for (run::Argument &a : arguments_.all)
            if (const run::Argument *same = other.arguments_.find(a.name.view()))
                a.data = same->data;
    }
    /// Contents of arguments after a run. Faults are only reported the first time.
    Vectors run(const std::vector<std::string> &names) {
        const run::CallResult done = isFirst_ ? interpret(*session_, *subject_, arguments_, file_)
                                              : run::CallResult{.memory = subject_->run(arguments_).memory};
        isFirst_ = false;
        Vectors out;
        for (const std::string &n : names) {
            const run::Argument &a = argument(n);
            out[n] = elementsOf(a, done.memory[static_cast<std::size_t>(&a - arguments_.all.data())]);
        }
        return out;
    }

private:
    Session *session_ = nullptr;
    std::string file_;
    run::Arguments arguments_;
    std::unique_ptr<validate::Subject> subject_;
    bool isFirst_ = true;
};

/// The relative distance between two numbers.
struct Distance {
    double error = 0, derivative = 0, difference = 0;
};

class Check {
public:
    Check(Session &s, const GradientCheckOptions &options) : s_(s), o_(options) {}

    void run(const ir::SDFG &primal, const ir::SDFG &derivative) {
        if (!setPrecision(primal) || !prepare(primal, derivative))
            return;
        Distance worst;
        for (int k = 0; k < o_.directions && !s_.failed(); ++k)
            worst = worse(worst, inDirection(randomDirection()));
        if (s_.failed())
            return;
        std::ostream &out = s_.environment.out;
        out << (o_.forward ? "tangent" : "gradient") << " of " << text::joined(o_.of, ", ") << " with respect to "
            << text::joined(o_.wrt, ", ") << ": off by " << number(worst.error, "%.1e") << " in " << o_.directions
            << (o_.directions == 1 ? " direction" : " directions") << "\n";
        Distance element;
        const std::string name = o_.forward ? worstOfResults(element) : worstOfArguments(element);
        const std::string what = name + " = " + number(element.derivative) + ", differences " + number(element.difference);
        out << "worst element: " << what << ", off by " << number(element.error, "%.1e") << "\n";
        const double most = std::max(worst.error, element.error);
        if (!(most <= precision_.tolerance))
            s_.diags.report(diag::Id::GradientDiffers, diag::Location{o_.file}, number(most, "%.1e"), what);
    }

private:
    std::string nameOf(const std::string &argument) const { return o_.prefix + argument; }

    bool setPrecision(const ir::SDFG &primal) {
        Name name;
        const ir::DataDesc *d = coarsest(primal, name);
        const auto precision = precisionOf(d ? d->dtype : Type(ScalarKind::Float64));
        if (!precision) {
            s_.diags.report(diag::Id::OptionMisused, diag::Location{o_.file},
                            "--check is inconclusive for a program with `" + name.str() + "`, which is of the type " +
                                d->dtype.str() + ": that has too few digits",
                            "check the program with float32 or float64 in its place");
            return false;
        }
        precision_ = *precision;
        return true;
    }

    bool prepare(const ir::SDFG &primal, const ir::SDFG &derivative) {
        run::ArgumentOptions options;
        options.otherwise = o_.otherwise;
        for (const std::string &text : o_.arguments)
            if (const auto one = splitGiven(s_, "--arg", text))
                options.given.push_back(*one);
        options.written = writtenOnly(primal);
        if (!s_.failed())
            complete(options, run::interfaceOf(primal));
        if (s_.failed() || !primal_.prepare(s_, primal, options, o_.file))
            return false;
        std::vector<std::string> names = o_.of;
        names.insert(names.end(), o_.wrt.begin(), o_.wrt.end());
        for (const std::string &n : names)
            if (std::none_of(options.given.begin(), options.given.end(), [&](const run::Given &g) { return g.name == nameOf(n); }))
                options.given.push_back({nameOf(n), "zeros"});
        if (!derivative_.prepare(s_, derivative, options, o_.file))
            return false;
        derivative_.takeFrom(primal_);
        for (const std::string &n : o_.wrt)
            x_[n] = primal_.given(n);
        for (const std::string &n : o_.of) {
            w_[n].resize(primal_.given(n).size());
            for (double &weight : w_[n])
                weight = o_.seedOne ? 1 : random_.unit() + 0.5;
        }
        if (!o_.forward)
            g_ = gradients();
        return true;
    }

    static constexpr const char *size = "5",
                                *values = "random:0.5:1.5"; // if not given; few functions have poles there

    /// Chooses values for arguments that are not given, and prints a line about it. Sizes that follow from files stay open.
    void complete(run::ArgumentOptions &options, const tree::Module &interface) {
        const auto isGiven = [&](Name name) {
            return std::any_of(options.given.begin(), options.given.end(),
                               [&](const run::Given &g) { return g.name == name.view(); });
        };
        bool isRandom = false;
        for (const tree::Param &p : interface.params)
            if (p.desc && options.otherwise.empty() && !isGiven(p.name)) {
                const bool isResult = p.desc->isArray() && options.written.contains(p.name);
                options.given.push_back({p.name.str(), isResult ? "zeros" : values});
                isRandom = isRandom || !isResult;
            }
        diag::Engine missing;
        run::prepare(interface, options, missing);
        std::vector<std::string> said;
        for (const auto *list : {&interface.params, &interface.init})
            for (const tree::Param &p : *list)
                for (const diag::Diagnostic &d : missing.all())
                    if (!p.desc && d.id == diag::Id::ProgramArgumentMissing && !isGiven(p.name) &&
                        d.message.find("`" + p.name.str() + "`") != std::string::npos) {
                        options.given.push_back({p.name.str(), p.type.isBool() ? "1" : size});
                        said.push_back(p.name.str() + "=" + options.given.back().value);
                    }
        if (isRandom)
            said.emplace_back("random values");
        if (!said.empty())
            s_.environment.out << "with " << text::joined(said, ", ") << '\n';
    }

    static std::set<Name> writtenOnly(const ir::SDFG &g) {
        std::set<Name> out;
        for (const auto &[name, access] : analysis::containerAccess(g))
            if (access.written && !access.read)
                out.insert(name);
        return out;
    }

    Vectors gradients() {
        for (const auto &[name, w] : w_)
            setElements(derivative_.argument(nameOf(name)), w);
        return byArgument(o_.wrt);
    }

    /// Runs the derivative. The results, by the names of the arguments that they belong to.
    Vectors byArgument(const std::vector<std::string> &names) {
        std::vector<std::string> made;
        for (const std::string &n : names)
            made.push_back(nameOf(n));
        const Vectors found = derivative_.run(made);
        Vectors out;
        for (const std::string &n : names)
            out[n] = found.at(nameOf(n));
        return out;
    }

    Vectors tangents(const Vectors &v) {
        for (const std::string &n : o_.of)
            setElements(derivative_.argument(nameOf(n)), Vector(w_.at(n).size(), 0));
        for (const auto &[name, values] : v)
            setElements(derivative_.argument(nameOf(name)), values);
        return byArgument(o_.of);
    }

    /// The average magnitude of an argument's elements, so that steps neither get lost in rounding nor exceed the values.
    static double sizeOf(const Vector &x) {
        double squares = 0;
        for (const double v : x)
            squares += v * v;
        return squares > 0 ? std::sqrt(squares / static_cast<double>(x.size())) : 1;
    }

    Vectors randomDirection() {
        Vectors out;
        for (const auto &[name, x] : x_) {
            const double size = sizeOf(x);
            for (std::size_t k = 0; k < x.size(); ++k)
                out[name].push_back(size * (2 * random_.unit() - 1));
        }
        return out;
    }

    /// Arguments at a distance from the given ones, as rounded to their types, and the results for these.
    struct Moved {
        Vectors arguments, results;
    };
    Moved moved(const Vectors &v, double step) {
        Moved out;
        for (const auto &[name, x] : x_) {
            Vector moved = x;
            if (const auto d = v.find(name); d != v.end())
                for (std::size_t k = 0; k < x.size(); ++k)
                    moved[k] += step * d->second[k];
            setElements(primal_.argument(name), moved);
            out.arguments[name] = primal_.given(name);
        }
        out.results = primal_.run(o_.of);
        return out;
    }

    /// For each result, the difference quotient at step 0 and its possible rounding error; and the actual direction of the rounded
    /// arguments.
    struct Quotients {
        Vectors values, noise, direction;
    };
    Quotients quotients(const Vectors &v, double h) {
        const Moved up = moved(v, h), down = moved(v, -h), nearUp = moved(v, h / 2), nearDown = moved(v, -h / 2);
        const auto extrapolated = [&](const Vectors Moved::*of, const std::string &n, std::size_t k) {
            const double far = ((up.*of).at(n)[k] - (down.*of).at(n)[k]) / (2 * h);
            const double near = ((nearUp.*of).at(n)[k] - (nearDown.*of).at(n)[k]) / h;
            return (4 * near - far) / 3;
        };
        Quotients out;
        for (const std::string &n : o_.of)
            for (std::size_t k = 0; k < up.results.at(n).size(); ++k) {
                out.values[n].push_back(extrapolated(&Moved::results, n, k));
                const double size = std::max(std::abs(up.results.at(n)[k]), std::abs(down.results.at(n)[k]));
                out.noise[n].push_back(8 * precision_.unit * size / h);
            }
        for (const auto &[n, x] : x_)
            for (std::size_t k = 0; k < x.size(); ++k)
                out.direction[n].push_back(std::isfinite(x[k]) ? extrapolated(&Moved::arguments, n, k) : 0); // infinity is kept
        return out;
    }

    std::vector<double> steps() const { return o_.eps > 0 ? std::vector<double>{o_.eps} : precision_.steps; }

    /// `size`: magnitude of the terms that were summed.
    static Distance distance(double derivative, double difference, double noise, double size) {
        if (std::isnan(derivative) && std::isnan(difference))
            return {0, derivative, difference};
        const double off = std::abs(derivative - difference);
        const double scale = std::max({std::abs(derivative), std::abs(difference), 0.1 * size, 1e-300});
        if (off <= noise && (noise < 1e-4 * scale || std::abs(derivative) <= noise)) // only rounding, or negligible
            return {0, derivative, difference};
        return {std::isnan(off) ? std::numeric_limits<double>::infinity() : off / scale, derivative, difference};
    }

    static Distance worse(const Distance &a, const Distance &b) { return b.error > a.error ? b : a; }

    static double weighted(const Vectors &values, const Vectors &w, double *size = nullptr) {
        double sum = 0, squares = 0;
        for (const auto &[name, each] : w)
            for (std::size_t k = 0; k < each.size(); ++k) {
                const double term = each[k] == 0 ? 0 : each[k] * values.at(name)[k];
                sum += term;
                squares += term * term;
            }
        if (size)
            *size = std::sqrt(squares);
        return sum;
    }

    Distance inDirection(const Vectors &v) {
        Distance best{std::numeric_limits<double>::infinity(), 0, 0};
        for (const double h : steps()) {
            const Quotients q = quotients(v, h);
            double size = 0;
            const double derivative = o_.forward ? weighted(tangents(q.direction), w_, &size) : weighted(g_, q.direction, &size);
            const Distance d = distance(derivative, weighted(q.values, w_), weighted(q.noise, w_), size);
            if (d.error < best.error || h == steps().front())
                best = d;
            if (s_.failed())
                break;
        }
        return best;
    }

    /// The maximum number of elements compared, at equal distances.
    static constexpr std::size_t most = 200;
    static std::size_t stride(std::size_t elements) { return std::max<std::size_t>(1, (elements + most - 1) / most); }

    std::string worstOfArguments(Distance &worst) {
        std::string name = elementName(derivative_.argument(nameOf(o_.wrt.front())), 0);
        bool found = false;
        for (const std::string &n : o_.wrt)
            for (std::size_t k = 0; k < x_.at(n).size(); k += stride(x_.at(n).size())) {
                const double size = sizeOf(x_.at(n));
                Vectors unit;
                unit[n].resize(x_.at(n).size());
                unit[n][k] = size;
                Distance d = inDirection(unit);
                const double gradient = g_.at(n)[k];
                d.difference *= d.derivative == 0 || !std::isfinite(d.derivative) ? 1 / size : gradient / d.derivative;
                d.derivative = gradient;
                if (found && d.error <= worst.error)
                    continue;
                found = true;
                worst = d;
                name = elementName(derivative_.argument(nameOf(n)), k);
            }
        return name;
    }

    std::string worstOfResults(Distance &worst) {
        const Vectors v = randomDirection();
        std::vector<std::pair<Quotients, Vectors>> all; // with tangents along the same direction
        for (const double h : steps()) {
            Quotients q = quotients(v, h);
            Vectors t = tangents(q.direction);
            all.emplace_back(std::move(q), std::move(t));
        }
        std::string name;
        for (const std::string &n : o_.of)
            for (std::size_t k = 0; k < w_.at(n).size(); ++k) {
                Distance best{std::numeric_limits<double>::infinity(), 0, 0};
                for (const auto &[each, t] : all) {
                    const Distance d = distance(t.at(n)[k], each.values.at(n)[k], each.noise.at(n)[k], 0);
                    if (d.error <= best.error)
                        best = d;
                }
                if (!name.empty() && best.error <= worst.error)
                    continue;
                worst = best;
                name = elementName(derivative_.argument(nameOf(n)), k);
            }
        return name;
    }

    Session &s_;
    const GradientCheckOptions &o_;
    Executed primal_, derivative_;
    run::Random random_{17};
    Precision precision_;
    Vectors x_, w_, g_; // arguments, weights of results, gradients
};

} // namespace

void checkGradient(Session &session, const ir::SDFG &primal, const ir::SDFG &derivative, const GradientCheckOptions &options) {
    Check(session, options).run(primal, derivative);
}

} // namespace sdfgc::driver
