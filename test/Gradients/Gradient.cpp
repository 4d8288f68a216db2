#include "Gradient.h"

#include "sdfgc/Interpret/Interpret.h"
#include "sdfgc/Pass/Instrumentation.h"
#include "sdfgc/Pass/Pipeline.h"
#include "sdfgc/Run/Values.h"
#include "sdfgc/Serialize/Text.h"
#include "sdfgc/Support/Text.h"
#include "sdfgc/Transforms/Passes.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

namespace sdfgc::test {

namespace {

const pass::Registry &passes() {
    static const pass::Registry registry = [] {
        pass::Registry r;
        transforms::registerPasses(r);
        return r;
    }();
    return registry;
}

bool runPasses(SDFG &g, const std::string &text, diag::Engine &diags) {
    const auto pipeline = pass::parsePipeline(text, passes(), diags);
    if (!pipeline)
        return false;
    pass::CompileOptions options;
    pass::Context context(diags, options);
    pass::Program program{g, nullptr};
    return pass::run(program, *pipeline, passes(), context, pass::RunOptions());
}

std::string bytesOf(Type t, const std::vector<double> &values) {
    std::string out;
    for (const double v : values) {
        run::Number n{.isInteger = t.isInteger(), .value = v};
        if (n.isInteger)
            n.integer = static_cast<int64_t>(v);
        if (!run::store(t, n, out))
            throw std::runtime_error("no type for a test: " + t.str());
    }
    return out;
}

std::vector<double> valuesOf(Type t, const std::string &bytes) {
    const auto size = static_cast<std::size_t>(*t.bytes());
    std::vector<double> out;
    for (std::size_t at = 0; at < bytes.size(); at += size)
        out.push_back(run::valueOf(t, std::string_view(bytes).substr(at, size)));
    return out;
}

std::string errorsOf(const diag::Engine &diags) {
    std::string out;
    for (const diag::Diagnostic &d : diags.all())
        if (diag::info(d.id).severity == diag::Severity::Error)
            out += (out.empty() ? "" : ", ") + std::string(diag::info(d.id).code) + " " + d.message;
    return out;
}

/// The relative difference that rounding can cause; the container with the lowest precision determines it.
double rounding(const SDFG &g) {
    double out = 1e-12;
    for (const auto &[name, d] : g.arrays)
        if (d.dtype.isFloat())
            out = std::max(out, *d.dtype.bytes() == 8 ? 1e-12 : *d.dtype.bytes() == 4 ? 1e-5 : 2e-2);
    return out;
}

/// Do the results equal those of the program? Factors may be multiplied in a different order.
void checkResults(const Arrays &found, const Arrays &expected, double rounding) {
    for (const auto &[name, values] : expected) {
        REQUIRE(found.at(name).size() == values.size());
        for (std::size_t k = 0; k < values.size(); ++k) {
            INFO(name << "[" << k << "]");
            if (found.at(name)[k] != values[k]) // they may be infinite
                CHECK(std::abs(found.at(name)[k] - values[k]) <= rounding / 100 * std::abs(values[k]));
        }
    }
}

double dot(const std::vector<double> &a, const std::vector<double> &b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += a[k] * b[k];
    return sum;
}

/// The options of `cut-into-segments`, and those of `differentiate`.
std::pair<std::string, std::string> withoutCheckpoints(std::string options) {
    const std::size_t at = options.find("checkpoints=");
    if (at == std::string::npos)
        return {"", options};
    std::size_t end = at + std::string("checkpoints=").size();
    end = options[end] == '\'' ? options.find('\'', end + 1) + 1 : std::min(options.find(',', end), options.size());
    const std::string segments = "{" + options.substr(at, end - at) + "}";
    const std::size_t begin = at > 0 ? at - 1 : 0; // with the comma before or after it
    options.erase(begin, std::min(at > 0 ? end : end + 1, options.size()) - begin);
    return {segments, options};
}

} // namespace

Differentiated::Differentiated(const std::string &text, const std::string &of, const std::string &wrt, const std::string &options)
    : primal_(readGraph(text)), gradient_(clone(*primal_)), of_(text::words(of)), wrt_(text::words(wrt)) {
    if (const std::size_t at = options.find("prefix="); at != std::string::npos)
        prefix_ = options.substr(at + 7);
    const std::string prepare = "raise-control-flow,fill-scope-connectors,default-schedules,infer-types,";
    diag::Engine ofPrimal;
    const bool isPrepared = runPasses(*primal_, prepare + "eliminate-dead-code", ofPrimal);
    INFO(errorsOf(ofPrimal));
    REQUIRE(isPrepared);
    const auto [segments, others] = withoutCheckpoints(options);
    const std::string rows = "name-elements,while-loops,name-accesses,join-arguments,loops-for-maps,split-updates,";
    const std::string how = "count-loops,name-sizes,cut-into-segments" + segments + "," + rows + "differentiate{of='" + of +
                            "',wrt='" + wrt + "'" + (others.empty() ? "" : "," + others) +
                            "},separate,default-schedules,infer-types";
    const std::string simplify = "simplify-control-flow,propagate-symbols,demote-symbols,inline-nested-sdfgs,structure-exits,";
    tangent_ = clone(*gradient_);
    if (!runPasses(*gradient_, prepare + simplify + how, diags_))
        gradient_.reset();
    // Not simplified, so that nested SDFGs also get tangents.
    if (!runPasses(*tangent_,
                   prepare + "structure-exits," + rows + "differentiate{mode=forward,of='" + of + "',wrt='" + wrt +
                       "'},default-schedules,infer-types",
                   ofTangent_))
        tangent_.reset();
}

Differentiated &Differentiated::set(const std::string &symbol, int64_t value) {
    symbols_[Name(symbol)] = value;
    return *this;
}

Differentiated &Differentiated::set(const std::string &argument, std::vector<double> values) {
    given_[argument] = std::move(values);
    return *this;
}

std::size_t Differentiated::sizeOf(const SDFG &g, Name argument) const {
    const auto size = sym::evaluate(g.desc(argument)->totalSize, symbols_);
    REQUIRE(size);
    return static_cast<std::size_t>(*size);
}

Arrays Differentiated::input() {
    std::minstd_rand random(7);
    std::uniform_real_distribution<double> value(0.5, 1.5);
    Arrays out;
    for (const auto &[name, d] : primal_->arrays)
        if (!d.transient) {
            std::vector<double> &v = out[name.str()];
            v.resize(sizeOf(*primal_, name));
            for (double &each : v)
                each = d.dtype.isFloat() ? value(random) : 0;
            if (given_.count(name.str()))
                v = given_.at(name.str());
        }
    return out;
}

Arrays Differentiated::call(const SDFG &g, const Arrays &input) {
    diag::Engine diags;
    const auto program = interpret::PreparedProgram::prepare(std::shared_ptr<const SDFG>(clone(g)), interpret::Options(), diags);
    for (const auto &d : diags.all())
        FAIL_CHECK(d.message);
    REQUIRE(program);
    std::map<std::string, std::string> memory;
    for (const auto &[name, d] : g.arrays)
        if (!d.transient) {
            const std::vector<double> zeros(sizeOf(g, name));
            const auto &values = input.count(name.str()) ? input.at(name.str()) : zeros;
            memory[name.str()] = bytesOf(d.dtype, values);
            program->bind(name, memory[name.str()].data());
        }
    for (const auto &[name, value] : symbols_)
        if (g.symbols.contains(name))
            program->set(name, value);
    for (const interpret::Report &r : program->run())
        FAIL_CHECK(r.element + ": " + r.what);
    memory_ = program->memory();
    Arrays out;
    for (const auto &[name, bytes] : memory)
        out[name] = valuesOf(g.desc(Name(name))->dtype, bytes);
    return out;
}

Arrays Differentiated::run(const Arrays &in, const Arrays &weights) {
    Arrays all = in;
    for (const auto &[name, w] : weights)
        all[prefix_ + name] = w;
    return call(*gradient_, all);
}

void Differentiated::check() {
    checkGradients();
    checkTangents();
}

void Differentiated::checkGradients() {
    INFO(errors());
    REQUIRE(gradient_);
    const Arrays in = input();
    const Arrays weights = weightsOf(of_, in);
    const Arrays gradients = run(in, weights), results = call(*primal_, in);
    INFO(text());
    checkResults(gradients, results, rounding(*primal_));
    const auto weighted = [&](const Arrays &arrays) {
        double sum = 0;
        for (const std::string &o : of_)
            sum += dot(call(*primal_, arrays).at(o), weights.at(o));
        return sum;
    };
    for (const std::string &w : wrt_)
        for (std::size_t k = 0; k < in.at(w).size(); ++k) {
            const double h = 1e-5;
            Arrays up = in, down = in;
            up[w][k] += h;
            down[w][k] -= h;
            INFO(prefix_ << w << "[" << k << "]");
            CHECK(gradients.at(prefix_ + w)[k] == Approx((weighted(up) - weighted(down)) / (2 * h)).epsilon(1e-6).margin(1e-8));
        }
}

Arrays Differentiated::weightsOf(const std::vector<std::string> &names, const Arrays &like) {
    std::uniform_real_distribution<double> value(-1, 1);
    Arrays out;
    for (const std::string &n : names)
        for (std::size_t k = 0; k < like.at(n).size(); ++k)
            out[n].push_back(value(random_));
    return out;
}

Arrays Differentiated::tangent(const Arrays &directions) {
    Arrays given = input();
    for (const std::string &o : of_) // without a direction, the previous contents are irrelevant
        given["tangent_" + o] = given.at(o);
    for (const auto &[name, v] : directions)
        given["tangent_" + name] = v;
    return call(*tangent_, given);
}

void Differentiated::checkTangents() {
    INFO(tangentErrors());
    REQUIRE(tangent_);
    REQUIRE(gradient_);
    INFO(tangentText());
    const Arrays in = input(), weights = weightsOf(of_, in), directions = weightsOf(wrt_, in);
    const Arrays tangents = tangent(directions), gradients = run(in, weights), results = call(*primal_, in);
    checkResults(tangents, results, rounding(*primal_));
    double forward = 0, reverse = 0, size = 1e-3;
    for (const auto &[name, w] : weights)
        forward += dot(w, tangents.at("tangent_" + name));
    for (const auto &[name, v] : directions) {
        reverse += dot(gradients.at(prefix_ + name), v);
        for (const double g : gradients.at(prefix_ + name))
            size += std::abs(g);
    }
    CHECK(forward == Approx(reverse).epsilon(0).margin(rounding(*primal_) * size));
}

void Differentiated::checkTangentsByDifferences() {
    INFO(tangentErrors());
    REQUIRE(tangent_);
    INFO(tangentText());
    const Arrays directions = weightsOf(wrt_, input()), tangents = tangent(directions);
    const double h = 1e-5;
    const auto moved = [&](double step) {
        Arrays there = input();
        for (const auto &[name, v] : directions)
            for (std::size_t k = 0; k < v.size(); ++k)
                there.at(name)[k] += step * v[k];
        return call(*primal_, there);
    };
    const Arrays up = moved(h), down = moved(-h);
    for (const std::string &o : of_)
        for (std::size_t k = 0; k < up.at(o).size(); ++k) {
            INFO("tangent_" << o << "[" << k << "]");
            CHECK(tangents.at("tangent_" + o)[k] == Approx((up.at(o)[k] - down.at(o)[k]) / (2 * h)).epsilon(1e-6).margin(1e-8));
        }
}

std::string Differentiated::text() const { return gradient_ ? serialize::print(*gradient_) : ""; }

std::string Differentiated::tangentText() const { return tangent_ ? serialize::print(*tangent_) : ""; }

std::string Differentiated::errors() const { return errorsOf(diags_); }

std::string Differentiated::tangentErrors() const { return errorsOf(ofTangent_); }

std::string Differentiated::tapes() const {
    std::string out;
    for (const auto &[name, d] : gradient_->arrays)
        if (name.view().starts_with("tape_"))
            out += (out.empty() ? "" : ", ") + name.str() + "[" + text::joined(d.shape) + "]";
    return out;
}

void checkGradient(const std::string &text, const std::map<std::string, int64_t> &symbols, const std::string &of,
                   const std::string &wrt) {
    Differentiated d(text, of, wrt);
    for (const auto &[name, value] : symbols)
        d.set(name, value);
    d.check();
}

} // namespace sdfgc::test
