// The functions of a module, inlined into mlir_entry, with structured control flow.
//
// The text is read while it is translated: a function again for each call of it. Every operation becomes an assignment to a new
// variable, which the C++ compiler, or a pass, puts where it is used.
#include "sdfgc/Tasklet/Mlir.h"

#include "Tasklet/Mlir/Functions.h"
#include "Tasklet/Mlir/Operations.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace sdfgc::mlir {
namespace {

constexpr std::size_t mostLines = 20000; // calls that are inlined may double with each level

class Translator {
public:
    Translator(std::string_view text, const std::vector<Name> &outputs) : functions_(text), tokens_(text), outputs_(outputs) {
        for (const Name n : outputs)
            taken_.insert(n.str());
    }

    Translation run() {
        const Function *entry = functions_.find("mlir_entry");
        if (!entry)
            throw Refused("there is no function `mlir_entry`");
        const std::vector<Value> results = call("mlir_entry", *entry, nullptr);
        if (results.size() != outputs_.size())
            throw Refused("`mlir_entry` returns " + std::to_string(results.size()) + " values, and the tasklet has " +
                          std::to_string(outputs_.size()) + (outputs_.size() == 1 ? " output" : " outputs"));
        for (std::size_t k = 0; k < results.size(); ++k) {
            line(outputs_[k].str() + " = " + results[k].text);
            out_.results.push_back(results[k].type);
        }
        if (!out_.python.empty())
            out_.python.pop_back(); // the end of the last line
        return std::move(out_);
    }

private:
    using Scope = std::map<std::string, Value>;

    // ---- functions

    /// `given`: the arguments; null for the entry, whose arguments are inputs.
    std::vector<Value> call(const std::string &name, const Function &f, const std::vector<Value> *given) {
        if (!active_.insert(name).second)
            throw Refused("the function `" + name + "` calls itself");
        const std::size_t back = tokens_.mark();
        Scope outside;
        outside.swap(values_);
        tokens_.goTo(f.at);
        const std::vector<Argument> parameters = f.isGeneric ? genericHead() : customHead();
        if (given && given->size() != parameters.size())
            throw Refused("a call of `" + name + "` has another number of arguments");
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const std::string text = parameters[k].name.str();
            if (!given)
                taken_.insert(text);
            values_[text] = given ? (*given)[k] : Value{text, parameters[k].type};
        }
        if (!given)
            out_.inputs = parameters;
        std::vector<Value> results = block();
        values_.swap(outside);
        tokens_.goTo(back);
        active_.erase(name);
        return results;
    }

    /// `(%a: i32, %b: i32)`
    std::vector<Argument> parameters() {
        std::vector<Argument> out;
        tokens_.expect("(");
        while (!tokens_.accept(")")) {
            const std::string name = tokens_.expectKind(TokenKind::Value, "an argument");
            tokens_.expect(":");
            out.push_back({Name(name), tokens_.type()});
            if (tokens_.is("{"))
                tokens_.skipPair("{", "}");
            tokens_.accept(",");
        }
        return out;
    }

    std::vector<Argument> customHead() {
        std::vector<Argument> out = parameters();
        if (tokens_.accept("->"))
            types();
        if (tokens_.acceptWord("attributes"))
            tokens_.skipPair("{", "}");
        if (!tokens_.is("{"))
            throw Refused("a function has no body");
        tokens_.expect("{");
        return out;
    }

    std::vector<Argument> genericHead() {
        tokens_.expect("(");
        tokens_.expect("{");
        if (tokens_.peek().kind != TokenKind::Block)
            return {};
        tokens_.take();
        std::vector<Argument> out = tokens_.is("(") ? parameters() : std::vector<Argument>();
        tokens_.expect(":");
        return out;
    }

    /// `i32`, or `(i32, f64)`
    std::vector<Type> types() {
        if (!tokens_.accept("("))
            return {tokens_.type()};
        std::vector<Type> out;
        while (!tokens_.accept(")")) {
            out.push_back(tokens_.type());
            tokens_.accept(",");
        }
        return out;
    }

    // ---- blocks

    /// Translates the operations up to `}`. Returns the operands of the last one: what the block returns or yields.
    std::vector<Value> block() {
        std::vector<Value> results;
        while (!tokens_.accept("}")) {
            if (tokens_.peek().kind == TokenKind::End)
                throw Refused("`}` is missing");
            if (tokens_.peek().kind == TokenKind::Block)
                throw Refused("branches between blocks are not translated");
            std::vector<std::string> names = resultNames();
            const Token t = tokens_.take();
            if (t.kind != TokenKind::Word && t.kind != TokenKind::String)
                throw Refused("an operation was expected before `" + t.text + "`");
            const std::string name = plainName(t.text);
            if (name == "return" || name == "scf.yield" || name == "yield")
                results = ended(t.kind == TokenKind::String);
            else if (t.kind == TokenKind::String)
                generic(name, names);
            else if (name == "scf.if")
                branch(names);
            else if (name == "scf.for")
                loop(names);
            else if (name == "call")
                called(names);
            else
                custom(name, names);
        }
        return results;
    }

    /// The same for a block inside, whose values end with it.
    std::vector<Value> inner() {
        const Scope outside = values_;
        ++depth_;
        const std::size_t before = out_.python.size();
        std::vector<Value> results = block();
        if (out_.python.size() == before && results.empty())
            line("pass");
        --depth_;
        values_ = outside;
        return results;
    }

    /// `%a, %b =`, `%r:2 =`
    std::vector<std::string> resultNames() {
        std::vector<std::string> out;
        while (tokens_.peek().kind == TokenKind::Value) {
            const std::string name = tokens_.take().text;
            if (tokens_.accept(":")) {
                const int count = std::stoi(tokens_.expectKind(TokenKind::Number, "a number of results"));
                for (int k = 0; k < count; ++k)
                    out.push_back(name + "#" + std::to_string(k));
            } else {
                out.push_back(name);
            }
            if (!tokens_.accept(","))
                tokens_.expect("=");
        }
        return out;
    }

    std::vector<Value> ended(bool isGeneric) {
        if (isGeneric)
            tokens_.expect("(");
        std::vector<Value> out = operands();
        if (isGeneric)
            tokens_.expect(")");
        if (tokens_.accept(":"))
            isGeneric ? (void)signature() : (void)listedTypes();
        return out;
    }

    void listedTypes() {
        do
            tokens_.type();
        while (tokens_.accept(","));
    }

    /// `(i32, i32) -> i32`; returns the results.
    std::vector<Type> signature() {
        types();
        tokens_.expect("->");
        return types();
    }

    // ---- operations

    std::vector<Value> operands() {
        std::vector<Value> out;
        while (tokens_.peek().kind == TokenKind::Value) {
            out.push_back(value(tokens_.take().text));
            if (!tokens_.accept(","))
                break;
        }
        return out;
    }

    const Value &value(const std::string &name) const {
        auto found = values_.find(name);
        if (found == values_.end())
            found = values_.find(name + "#0");
        if (found == values_.end())
            throw Refused("the value `%" + name + "` is not defined");
        return found->second;
    }

    /// `"arith.addi"(%a, %b) {attributes} : (i32, i32) -> i32`
    void generic(const std::string &name, const std::vector<std::string> &names) {
        Operation o{name, {}, {}, {}};
        tokens_.expect("(");
        o.operands = operands();
        tokens_.expect(")");
        std::string constant;
        const bool isProperties = tokens_.accept("<");
        if (tokens_.is("(") || tokens_.is("["))
            throw Refused("the operation `" + name + "` is not translated in the generic form");
        if (tokens_.accept("{"))
            while (!tokens_.accept("}")) {
                const std::string key = tokens_.take().text;
                if (!tokens_.accept("=") || (key != "value" && key != "predicate"))
                    continue;
                (key == "value" ? constant : o.predicate) = tokens_.take().text;
                if (tokens_.accept(":"))
                    tokens_.type();
            }
        if (isProperties)
            tokens_.expect(">");
        tokens_.expect(":");
        const std::vector<Type> results = signature();
        if (results.size() != 1)
            throw Refused("the operation `" + name + "` is not translated in the generic form");
        o.result = results.front();
        define(names, name == "constant" ? literal(constant, o.result) : Value{expressionOf(o), o.result});
    }

    /// `arith.cmpi slt, %a, %b : i32`, `arith.extsi %a : i32 to i64`
    void custom(const std::string &name, const std::vector<std::string> &names) {
        if (name == "constant")
            return constant(names);
        Operation o{name, {}, {}, {}};
        if (name.starts_with("cmp")) {
            o.predicate = tokens_.take().text;
            tokens_.expect(",");
        }
        o.operands = operands();
        if (o.operands.empty())
            throw Refused("the operation `" + name + "` is not translated");
        if (tokens_.peek().kind == TokenKind::Word) { // fastmath<...>, overflow<...>
            tokens_.take();
            tokens_.skipPair("<", ">");
        }
        if (tokens_.is("{"))
            tokens_.skipPair("{", "}");
        tokens_.expect(":");
        o.result = tokens_.type();
        while (tokens_.accept(",")) // of the condition, and of what is selected
            o.result = tokens_.type();
        if (tokens_.acceptWord("to"))
            o.result = tokens_.type();
        if (name.starts_with("cmp"))
            o.result = ScalarKind::Bool;
        define(names, {expressionOf(o), o.result});
    }

    void constant(const std::vector<std::string> &names) {
        const Token t = tokens_.take();
        const bool isTruth = t.text == "true" || t.text == "false";
        if (t.kind != TokenKind::Number && !isTruth)
            throw Refused("the constant `" + t.text + "` is not translated");
        Type type = ScalarKind::Bool;
        if (tokens_.accept(":"))
            type = tokens_.type();
        else if (!isTruth)
            throw Refused("the constant `" + t.text + "` has no type");
        define(names, literal(t.text, type));
    }

    static Value literal(const std::string &text, Type type) {
        if (type.isVector() || text.find_first_of("xX") != std::string::npos)
            throw Refused("the constant `" + text + "` of type " + type.str() + " is not translated");
        if (type.isBool())
            return {text == "true" || text == "1" || text == "-1" ? "True" : "False", type};
        return {castTo(type, text), type};
    }

    /// `call @f(%a) : (i32) -> i32`
    void called(const std::vector<std::string> &names) {
        const std::string name = tokens_.expectKind(TokenKind::Symbol, "the name of a function");
        tokens_.expect("(");
        const std::vector<Value> arguments = operands();
        tokens_.expect(")");
        tokens_.expect(":");
        signature();
        const Function *f = functions_.find(name);
        if (!f)
            throw Refused("there is no function `" + name + "`");
        const std::vector<Value> results = call(name, *f, &arguments);
        bind(names, results);
    }

    /// `%r = scf.if %c -> (i32) { ... } else { ... }`
    void branch(const std::vector<std::string> &names) {
        const std::vector<Value> condition = operands();
        if (condition.size() != 1)
            throw Refused("scf.if has no condition");
        const std::vector<Type> results = tokens_.accept("->") ? types() : std::vector<Type>();
        const std::vector<Value> variables = variablesFor(names, results);
        tokens_.expect("{");
        line("if " + condition.front().text + ":");
        assign(variables, inner());
        if (tokens_.acceptWord("else")) {
            tokens_.expect("{");
            line("else:");
            assign(variables, inner());
        }
        bind(names, variables);
    }

    /// `%r = scf.for %i = %first to %end step %step iter_args(%x = %start) -> (f32) { ... }`
    void loop(const std::vector<std::string> &names) {
        const std::string counter = tokens_.expectKind(TokenKind::Value, "the variable of a loop");
        tokens_.expect("=");
        const Value first = one(), end = (word("to"), one()), step = (word("step"), one());
        std::vector<std::string> carried;
        std::vector<Value> start;
        if (tokens_.acceptWord("iter_args")) {
            tokens_.expect("(");
            while (!tokens_.accept(")")) {
                carried.push_back(tokens_.expectKind(TokenKind::Value, "a value that iterations pass on"));
                tokens_.expect("=");
                start.push_back(one());
                tokens_.accept(",");
            }
        }
        const std::vector<Type> results = tokens_.accept("->") ? types() : std::vector<Type>();
        if (results.size() != start.size())
            throw Refused("scf.for has another number of results than of values that iterations pass on");
        if (tokens_.accept(":"))
            tokens_.type();
        tokens_.expect("{");
        const std::vector<Value> variables = variablesFor(names, results);
        for (std::size_t k = 0; k < start.size(); ++k)
            line(variables[k].text + " = " + start[k].text);
        const std::string i = fresh(counter);
        line("for " + i + " in range(" + first.text + ", " + end.text + ", " + step.text + "):");
        const Scope outside = values_;
        values_[counter] = {castTo(first.type, i), first.type};
        bind(carried, variables);
        assign(variables, inner());
        values_ = outside;
        bind(names, variables);
    }

    Value one() { return value(tokens_.expectKind(TokenKind::Value, "a value")); }
    void word(std::string_view w) {
        if (!tokens_.acceptWord(w))
            throw Refused("`" + std::string(w) + "` was expected before `" + tokens_.peek().text + "`");
    }

    // ---- Python

    std::vector<Value> variablesFor(const std::vector<std::string> &names, const std::vector<Type> &types) {
        if (names.size() != types.size())
            throw Refused("an operation has another number of results than of types");
        std::vector<Value> out;
        for (std::size_t k = 0; k < names.size(); ++k)
            out.push_back({fresh(names[k]), types[k]});
        return out;
    }

    /// At the end of a block inside. All values are read before the first variable changes.
    void assign(const std::vector<Value> &variables, const std::vector<Value> &values) {
        if (values.size() != variables.size())
            throw Refused("a block yields another number of values than its operation has");
        ++depth_;
        std::vector<std::string> kept;
        for (std::size_t k = 0; values.size() > 1 && k < values.size(); ++k) {
            kept.push_back(fresh("next"));
            line(kept.back() + " = " + values[k].text);
        }
        for (std::size_t k = 0; k < values.size(); ++k)
            line(variables[k].text + " = " + (kept.empty() ? values[k].text : kept[k]));
        --depth_;
    }

    void bind(const std::vector<std::string> &names, const std::vector<Value> &values) {
        if (names.size() != values.size())
            throw Refused("an operation has another number of results than of names");
        for (std::size_t k = 0; k < names.size(); ++k)
            values_[names[k]] = values[k];
    }

    void define(const std::vector<std::string> &names, const Value &v) {
        if (names.size() != 1)
            throw Refused("an operation has " + std::to_string(names.size()) + " results instead of one");
        if (isLiteral(v)) {
            values_[names.front()] = v;
            return;
        }
        const std::string variable = fresh(names.front());
        line(variable + " = " + v.text);
        values_[names.front()] = {variable, v.type};
    }

    /// `dace.int32(5)`, `True`
    static bool isLiteral(const Value &v) {
        const std::size_t open = v.text.find('(');
        return v.text == "True" || v.text == "False" ||
               (v.text.starts_with("dace.") && open != std::string::npos &&
                v.text.find_first_not_of("0123456789.eE+-)", open + 1) == std::string::npos);
    }

    /// A name for a variable: that of the value with an underscore, so that it is no function or keyword.
    std::string fresh(const std::string &value) {
        std::string name = "_" + value;
        std::replace_if(
            name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
        for (std::string base = name; !taken_.insert(name).second;)
            name = base + "_" + std::to_string(++count_);
        return name;
    }

    void line(const std::string &text) {
        if (++lines_ > mostLines)
            throw Refused("it is too long");
        out_.python += std::string(4 * depth_, ' ') + text + "\n";
    }

    const Functions functions_;
    Tokens tokens_;
    const std::vector<Name> &outputs_;
    Translation out_;
    Scope values_; // by their names in MLIR
    std::set<std::string> active_, taken_;
    std::size_t depth_ = 0, lines_ = 0, count_ = 0;
};

} // namespace

Result<Translation> translate(std::string_view text, const std::vector<Name> &outputs) {
    try {
        return Translator(text, outputs).run();
    } catch (const Refused &why) {
        return Failure{why.what()};
    } catch (const std::exception &) { // of std::stoi
        return Failure{"a number is too large"};
    }
}

} // namespace sdfgc::mlir
