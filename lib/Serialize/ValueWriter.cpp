#include "ValueWriter.h"

#include "DescriptorClass.h"
#include "Fields.h"

namespace sdfgc::serialize {

void ValueWriter::enter(const ir::SDFG &g) {
    Graph &entered = graphs_.emplace_back();
    entered.facts = g.symbolHints;
    for (const auto &[name, type] : g.symbols)
        if (type.isNumeric()) // a callback has no type in symbolic texts
            entered.facts[name].type = type;
}

void ValueWriter::write(const ir::DebugInfo &v) {
    out.beginObject();
    out.key("type");
    out.plain("DebugInfo");
    auto number = [&](std::string_view key, int32_t value, int32_t otherwise) {
        if (value == otherwise)
            return;
        out.key(key);
        out.integer(value);
    };
    out.key("start_line");
    out.integer(v.startLine);
    number("end_line", v.endLine, v.startLine);
    number("start_column", v.startColumn, 0);
    number("end_column", v.endColumn, 0);
    if (v.file && exprs_) {
        out.key("filename");
        out.string(v.file.view());
    } else if (v.file) {
        auto [it, isNew] = fileIndex_.try_emplace(v.file, files_.size());
        if (isNew)
            files_.push_back(v.file);
        out.key("file_index");
        out.integer(static_cast<int64_t>(it->second));
    }
    out.endObject();
}

void ValueWriter::write(const ir::Code &v) {
    out.beginObject();
    out.key("string_data");
    out.string(v.text());
    out.key("language");
    out.plain(ir::name(v.language()));
    out.endObject();
}

void ValueWriter::write(const std::vector<ir::TargetCode> &v) {
    out.beginObject();
    for (const ir::TargetCode &c : v) {
        out.anyKey(c.target.view());
        write(c.code);
    }
    out.endObject();
}

// ---- symbolic values
void ValueWriter::write(sym::Expr v) {
    if (exprs_)
        return v.isInteger() ? out.integer(v.numerator()) : out.string(exprs_->of(v));
    Graph &g = graphs_.back();
    auto [it, isNew] = g.texts.try_emplace(v);
    if (isNew) {
        JsonWriter quoted(it->second);
        quoted.string(sym::printDace(v, g.facts));
    }
    out.raw(it->second);
}

void ValueWriter::write(const std::vector<sym::Range> &v) {
    if (exprs_)
        return out.string(exprs_->of(v));
    out.beginObject();
    out.key("type");
    out.plain("Range");
    out.key("ranges");
    out.beginArray();
    for (const sym::Range &r : v) {
        out.beginObject();
        out.key("start");
        write(r.begin);
        out.key("end");
        write(r.end);
        out.key("step");
        write(r.step);
        out.key("tile");
        write(r.tile);
        out.endObject();
    }
    out.endArray();
    out.endObject();
}

// ---- types
namespace {

/// DaCe expects the sum of the fields, without padding; pointers and unknown types count as one.
int64_t structBytes(Type t) {
    int64_t sum = 0;
    for (const auto &[name, type] : t.fields())
        sum += type.isStruct() ? structBytes(type) : type.bytes().value_or(8);
    return sum;
}

} // namespace

void ValueWriter::writeTypes(std::string_view key, const std::vector<Type> &types, const std::vector<std::string> &texts) {
    out.key(key);
    out.beginArray();
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (i < texts.size() && !texts[i].empty())
            out.raw(texts[i]);
        else
            write(types[i]);
    }
    out.endArray();
}

void ValueWriter::write(Type v) {
    if (v.isVoid())
        return out.null();
    if (v.isScalar())
        return out.plain(scalarTypeName(v.scalar()));
    if (!v.isStruct() || !out.isCompact())
        return writeParts(v);
    const auto [known, isNew] = structs_.try_emplace(v);
    if (isNew) {
        JsonWriter text(known->second);
        ValueWriter(text).writeParts(v);
    }
    out.raw(known->second);
}

void ValueWriter::writeParts(Type v) {
    out.beginObject();
    out.key("type");
    switch (v.kind()) {
    case TypeKind::Vector:
        out.plain("vector");
        out.key("dtype");
        write(v.element());
        out.key("elements");
        out.plain(v.lanesText());
        break;
    case TypeKind::Pointer:
        out.plain("pointer");
        out.key("dtype");
        write(v.element());
        break;
    case TypeKind::Opaque:
        out.plain("opaque");
        out.key("ctype");
        out.string(v.name().view());
        break;
    case TypeKind::Struct: {
        auto pair = [&](Name name, auto value) {
            out.beginArray();
            write(name);
            write(value);
            out.endArray();
        };
        out.plain("struct");
        out.key("name");
        out.string(v.name().view());
        out.key("data");
        out.beginArray();
        for (const auto &[name, type] : v.fields())
            pair(name, type);
        out.endArray();
        out.key("length");
        out.beginArray();
        for (const auto &[name, text] : v.fieldLengths())
            pair(name, text);
        out.endArray();
        out.key("bytes");
        out.integer(structBytes(v));
        break;
    }
    case TypeKind::Callback:
        out.plain("callback");
        writeTypes("arguments", v.arguments(), v.argumentJson());
        writeTypes("returntypes", v.returns(), v.returnJson());
        break;
    case TypeKind::Scalar:
        break;
    }
    out.endObject();
}

void ValueWriter::write(const std::vector<ir::Connector> &v) {
    out.beginObject();
    for (const ir::Connector &c : v) {
        out.anyKey(c.name.view());
        write(c.type);
    }
    out.endObject();
}

// ---- containers
void ValueWriter::write(const ir::DataDesc &v) {
    ir::DataDesc defaults;
    defaults.kind = v.kind;
    if (!descriptorClass(descriptorClassName(v))) // the presence of strides tells readers that a user's class is an array
        defaults.strides.resize(v.strides.size() + 1);
    out.beginObject();
    out.key("type");
    out.string(descriptorClassName(v));
    out.key("attributes");
    out.beginObject();
    FieldWriter w(*this);
    descriptorFields(w, v, std::as_const(defaults));
    w.extra(v.extra);
    out.endObject();
    out.endObject();
}

void ValueWriter::write(const std::vector<std::pair<Name, std::unique_ptr<ir::DataDesc>>> &v) {
    out.beginArray();
    for (const auto &[name, d] : v) {
        out.beginArray();
        out.string(name.view());
        if (d && d->className == Name(symbolicMember))
            write(d->totalSize);
        else
            write(d);
        out.endArray();
    }
    out.endArray();
}

void ValueWriter::write(const ir::Constant &v) {
    out.beginArray();
    write(v.desc);
    out.value(v.value);
    out.endArray();
}

} // namespace sdfgc::serialize
