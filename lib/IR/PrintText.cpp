#include "IR/PrintText.h"

#include "sdfgc/Tasklet/Types.h"

#include <algorithm>

namespace sdfgc::ir::text {

std::string join(const std::vector<std::string> &items, std::string_view separator) {
    std::string out;
    for (const std::string &item : items)
        if (!item.empty())
            out += (out.empty() ? "" : std::string(separator)) + item;
    return out;
}

std::string bracketed(const std::vector<sym::Expr> &list) {
    std::vector<std::string> items;
    for (sym::Expr e : list)
        items.push_back(e.str());
    return list.empty() ? "" : "[" + join(items) + "]";
}

std::string expression(const std::string &python) {
    auto parsed = py::parseExpr(python);
    return parsed.value ? py::print(**parsed.value) : python;
}

std::string expression(const std::optional<Code> &code) {
    if (!code)
        return "";
    if (!code->isPython())
        return code->text();
    return join(statements(*code), "; ");
}

namespace {

std::vector<std::string> lines(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
            line.remove_suffix(1);
        if (!line.empty())
            out.emplace_back(line);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return out;
}

} // namespace

std::vector<std::string> statements(const Code &code) {
    if (code.isPython())
        if (const Code::Block *parsed = code.block())
            return lines(py::print(*parsed));
    return lines(code.text());
}

namespace {

std::string structureMembers(const DataDesc &d) {
    std::vector<std::string> members;
    for (const auto &[name, m] : d.members)
        members.push_back(name.str() + ": " + descriptor(*m, true));
    return d.structName.str() + " {" + join(members) + "}";
}

std::string typeText(const DataDesc &d, bool members) {
    switch (d.kind) {
    case DataKind::Scalar:
        return d.dtype.str();
    case DataKind::Array:
        return d.dtype.str() + bracketed(d.shape);
    case DataKind::Stream:
        return "stream of " + d.dtype.str() + (d.shape.size() == 1 && d.shape[0].isOne() ? "" : bracketed(d.shape));
    case DataKind::Structure:
        return members ? structureMembers(d) : d.structName.str();
    case DataKind::ContainerArray:
        return (d.elementDesc ? descriptor(*d.elementDesc, members) : d.dtype.str()) + " *" + bracketed(d.shape);
    default:
        return (d.className ? d.className.str() : std::string("descriptor")) + " " + d.dtype.str() + bracketed(d.shape);
    }
}

bool hasOffset(const DataDesc &d) {
    for (sym::Expr o : d.offset)
        if (!o.isZero())
            return true;
    return false;
}

} // namespace

std::string descriptor(const DataDesc &d, bool members) {
    const bool strided = d.isArray() || d.isContainerArray();
    std::vector<std::string> parts{typeText(d, members)};
    if (strided && d.strides != DataDesc::array(d.dtype, d.shape).strides)
        parts.push_back("strides " + bracketed(d.strides));
    if (hasOffset(d))
        parts.push_back("offset " + bracketed(d.offset));
    if (strided && d.totalSize != d.numElements())
        parts.push_back("size " + d.totalSize.str());
    if (!d.startOffset.isZero())
        parts.push_back("start " + d.startOffset.str());
    if (!d.bufferSize.isZero())
        parts.push_back("buffer " + d.bufferSize.str());
    if (d.alignment)
        parts.push_back("align " + std::to_string(d.alignment));
    if (d.mayAlias)
        parts.push_back("may alias");
    if (d.pool)
        parts.push_back("pool");
    return join(parts, " ");
}

std::string placement(const DataDesc &d) {
    std::vector<std::string> parts;
    if (d.storage != Storage::Default)
        parts.emplace_back(name(d.storage));
    if (d.lifetime != Lifetime::Scope)
        parts.emplace_back(name(d.lifetime));
    if (d.memory != MemoryKind::Undecided)
        parts.push_back("in " + (d.arena ? d.arena.str() : std::string(name(d.memory))));
    return parts.empty() ? "" : " (" + join(parts) + ")";
}

std::string access(Name data, const std::optional<sym::Subset> &subset, const SDFG &g) {
    const DataDesc *d = g.desc(data);
    if (!subset || subset->dims.empty() || (d && (d->isScalar() || d->isStructure())))
        return data.str();
    return data.str() + "[" + subset->str() + "]";
}

} // namespace sdfgc::ir::text
