// Files and texts to graphs; SDFGs in files of their own.
#include "GraphReader.h"
#include "Serialize/Text/Reader.h"

#include "sdfgc/Serialize/Text.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Gzip.h"
#include "sdfgc/Support/Utf8.h"

#include <algorithm>

namespace sdfgc::serialize {

using diag::Id;

namespace {

/// More files inside each other than any program has.
constexpr std::size_t kMaxFileDepth = 32;

diag::Location placeOfFile(const std::string &name) {
    diag::Location p;
    p.file = name;
    return p;
}

/// Says what a file starts with that is no JSON object: in words, as far as it is known.
std::string firstBytes(std::string_view text) {
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos)
        return text.empty() ? "nothing: it is empty" : "nothing but blanks";
    const auto c = static_cast<unsigned char>(text[at]);
    if (c == 0x80)
        return "byte 0x80, as Python pickles do";
    if (c < 0x20 || c > 0x7e)
        return "byte " + std::to_string(c);
    return "`" + std::string(1, text[at]) + "`";
}

bool looksLikeObject(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF")
        text.remove_prefix(3);
    const std::size_t at = text.find_first_not_of(" \t\r\n");
    return at != std::string_view::npos && text[at] == '{';
}

/// The graph in a text of any form, and how many bytes it has inflated; null with a report if it cannot be read.
std::unique_ptr<ir::SDFG> readAny(std::string text, const std::string &name, LoadContext &context, uint64_t &bytes) {
    if (gzip::isCompressed(text)) {
        Result<std::string> inflated = gzip::inflate(text, context.limits.inflatedBytes);
        if (!inflated) {
            context.diags.report(Id::FileUnreadable, placeOfFile(name), inflated.error());
            return nullptr;
        }
        text = std::move(*inflated);
    }
    bytes = text.size();
    if (looksLikeGraphText(text)) {
        if (auto bad = firstInvalidUtf8(text)) {
            diag::Location place = text::Cursor(text, name).place(*bad);
            context.diags.report(Id::InvalidUtf8, std::move(place), describeByte(text[*bad]));
            return nullptr;
        }
        return text::Reader(text, name, context).readRoot();
    }
    if (!looksLikeObject(text)) {
        context.diags.report(Id::NotAGraphFile, placeOfFile(name), firstBytes(text));
        return nullptr;
    }
    auto doc = std::make_unique<Document>(std::move(text), name);
    return doc->parse(context.diags, context.limits) ? GraphReader(*doc, context).readRoot(doc->root()) : nullptr;
}

std::unique_ptr<ir::SDFG> finish(std::unique_ptr<ir::SDFG> g) {
    if (g)
        g->renumber();
    return g;
}

} // namespace

std::unique_ptr<ir::SDFG> GraphReader::loadExternal(Json where, const std::string &file) {
    const std::string path = file::join(file::folderOf(values_.document().name()), file);
    const std::string whole = file::absolute(path);
    auto refuse = [&](diag::Message message) {
        values_.report(std::move(message), where);
        return nullptr;
    };
    if (std::find(context_.openFiles.begin(), context_.openFiles.end(), whole) != context_.openFiles.end())
        return refuse({Id::ExternalCycle, file});
    if (context_.openFiles.size() >= kMaxFileDepth)
        return refuse({Id::TooManyNestedGraphs, kMaxFileDepth});
    Result<std::string> text = file::read(path, context_.limits.fileBytes);
    if (!text)
        return refuse({Id::FileUnreadable, text.error()});
    context_.openFiles.push_back(whole);
    uint64_t bytes = 0;
    auto g = readAny(std::move(*text), path, context_, bytes);
    context_.openFiles.pop_back();
    // A file may be named often and name others often: what is read in all is bounded.
    context_.externalBytes += bytes;
    if (context_.externalBytes > context_.limits.inflatedBytes)
        return refuse({Id::ExternalTooLarge, context_.limits.inflatedBytes});
    if (!g)
        values_.report(Id::ExternalBroken, where, file);
    return g;
}

/// Up to 0.9 a nested SDFG was a string that holds its JSON.
std::unique_ptr<ir::SDFG> GraphReader::readEmbedded(Json text) {
    Document doc(std::string(text.text()), values_.document().name());
    doc.setHolder(values_.document().place(text));
    const std::size_t before = context_.diags.errorCount();
    auto g = doc.parse(context_.diags, context_.limits) ? GraphReader(doc, context_).readRoot(doc.root()) : nullptr;
    if (!g && context_.diags.errorCount() == before)
        values_.wrongKind("sdfg", text, "the text of an SDFG");
    if (!g)
        values_.noteError();
    return g;
}

std::unique_ptr<ir::SDFG> readFile(const std::string &path, diag::Engine &d, const Limits &l) {
    Result<std::string> text = file::read(path, l.fileBytes);
    if (!text) {
        d.report(Id::FileUnreadable, placeOfFile(path), text.error());
        return nullptr;
    }
    LoadContext context{d, l, {file::absolute(path)}};
    uint64_t bytes = 0;
    return finish(readAny(std::move(*text), path, context, bytes));
}

std::unique_ptr<ir::SDFG> readText(std::string text, const std::string &nameForDiagnostics, diag::Engine &d, const Limits &l) {
    LoadContext context{d, l, {file::absolute(nameForDiagnostics)}};
    uint64_t bytes = 0;
    return finish(readAny(std::move(text), nameForDiagnostics, context, bytes));
}

} // namespace sdfgc::serialize
