// Converts IR values to JSON in the form that DaCe 2.x reads. The counterpart of ValueReader.
#pragma once

#include "Serialize/Text/ExprText.h"

#include "sdfgc/IR/Sdfg.h"
#include "sdfgc/Support/JsonWriter.h"

#include <unordered_map>

namespace sdfgc::serialize {

using JsonWriter = json::Writer;

class ValueWriter {
public:
    explicit ValueWriter(JsonWriter &out) : out(out) {}
    /// Values of the text form: expressions, ranges and subsets as people write them, files of debug info by name.
    ValueWriter(JsonWriter &out, text::ExprText &exprs) : out(out), exprs_(&exprs) {}
    JsonWriter &out;

    /// Starts a graph: the types and facts of its symbols are included in symbolic texts until `leave`.
    void enter(const ir::SDFG &g);
    void leave() { graphs_.pop_back(); }
    /// Files of debug info, ordered by position.
    const std::vector<Name> &sourceFiles() const { return files_; }

    void write(bool v) { out.boolean(v); }
    void write(int64_t v) { out.integer(v); }
    void write(const std::string &v) { out.string(v); }
    void write(Name v) { out.string(v.view()); }
    void write(const std::optional<bool> &v) { v ? out.boolean(*v) : out.null(); }
    void write(const std::optional<int> &v) { v ? out.integer(*v) : out.null(); }
    void write(const std::vector<Name> &v) { list(v); }
    void write(const std::vector<std::string> &v) { list(v); }
    void write(const ir::DebugInfo &v);
    void write(const ir::Code &v);
    void write(const std::optional<ir::Code> &v) { v ? write(*v) : out.null(); }
    void write(const std::vector<ir::TargetCode> &v);
    void write(const std::vector<std::pair<Name, std::string>> &v) { object(v); }

    void write(ir::Storage v) { out.plain(ir::name(v)); }
    void write(ir::Schedule v) { out.plain(ir::name(v)); }
    void write(ir::Lifetime v) { out.plain(ir::name(v)); }
    void write(ir::OmpSchedule v) { out.plain(ir::name(v)); }
    void write(ir::Instrumentation v) { out.plain(ir::name(v)); }
    void write(ir::DataInstrumentation v) { out.plain(ir::name(v)); }
    void write(ir::CopyMethod v) { out.plain(ir::name(v)); }
    void write(ir::MemoryKind v) { out.plain(ir::name(v)); }
    void write(ir::GraphMark v) { out.plain(ir::name(v)); }
    void write(ir::WcrMode v) { out.integer(static_cast<int>(v)); }
    void write(ir::Level v) { out.plain(ir::name(v)); }

    void write(sym::Expr v);
    void write(const std::vector<sym::Expr> &v) { list(v); }
    void write(const std::optional<std::vector<sym::Expr>> &v) { v ? write(*v) : out.null(); }
    void write(const std::vector<sym::Range> &v);
    void write(const std::optional<sym::Subset> &v) { v ? write(v->dims) : out.null(); }
    void write(const std::vector<std::pair<Name, sym::Expr>> &v) { object(v); }

    void write(Type v);
    void write(const std::vector<ir::Connector> &v);
    void write(const ir::DataDesc &v);
    void write(const std::unique_ptr<ir::DataDesc> &v) { v ? write(*v) : out.null(); }
    void write(const std::vector<std::pair<Name, std::unique_ptr<ir::DataDesc>>> &v);
    void write(const ir::Constant &v);
    template <class V> void write(const OrderedMap<Name, V> &v) { object(v); }
    void write(const json::Value &v) { out.value(v); }

private:
    struct Graph {
        sym::Assumptions facts;
        std::unordered_map<sym::Expr, std::string> texts; // lookups only
    };
    template <class L> void list(const L &items) {
        out.beginArray();
        for (const auto &item : items)
            write(item);
        out.endArray();
    }
    template <class L> void object(const L &members) {
        out.beginObject();
        for (const auto &[name, value] : members) {
            out.anyKey(name.view());
            write(value);
        }
        out.endObject();
    }
    void writeParts(Type v);
    void writeTypes(std::string_view key, const std::vector<Type> &types, const std::vector<std::string> &texts);

    text::ExprText *exprs_ = nullptr;
    std::vector<Graph> graphs_;
    std::unordered_map<Type, std::string> structs_; // their texts: many connectors may have the same large type
    std::vector<Name> files_;
    std::unordered_map<Name, std::size_t> fileIndex_;
};

/// The writing visitor of Fields.h: omits values that equal the default.
class FieldWriter {
public:
    explicit FieldWriter(ValueWriter &values) : values_(values) {}

    template <class T> void field(std::string_view key, const T &value, const T &otherwise) {
        if (value == otherwise)
            return;
        values_.out.key(key);
        values_.write(value);
    }
    template <class T> void field(std::string_view key, const std::unique_ptr<T> &value, const std::unique_ptr<T> &) {
        if (!value)
            return;
        values_.out.key(key);
        values_.write(value);
    }
    template <class T>
    void field(std::string_view key, const std::vector<std::pair<Name, std::unique_ptr<T>>> &value,
               const std::vector<std::pair<Name, std::unique_ptr<T>>> &) {
        present(key, value);
    }
    template <class T> void nullable(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }
    template <class T> void identifier(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }
    template <class T> void dataName(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }
    void number(std::string_view key, sym::Expr value, sym::Expr otherwise) {
        const std::optional<int64_t> constant = value.asInt();
        constant ? field(key, *constant, otherwise.asInt().value_or(~*constant)) : field(key, value, otherwise);
    }
    template <class T> void meta(std::string_view key, const T &value, const T &otherwise) { field(key, value, otherwise); }

    void extra(const ir::Extra &e) {
        for (const auto &[key, value] : e.all()) {
            values_.out.anyKey(key);
            values_.out.value(value);
        }
    }

private:
    template <class T> void present(std::string_view key, const T &value) {
        if (value.empty())
            return;
        values_.out.key(key);
        values_.write(value);
    }
    ValueWriter &values_;
};

} // namespace sdfgc::serialize
