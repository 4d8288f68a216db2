// Reads graphs from files and texts; also SDFGs in separate files.
#include "GraphReader.h"
#include "Serialize/Text/TextReader.h"
#include "WrongInput.h"

#include "sdfgc/Serialize/Text.h"

#include "sdfgc/Support/File.h"
#include "sdfgc/Support/Gzip.h"
#include "sdfgc/Support/Utf8.h"

#include <algorithm>

namespace sdfgc::serialize {

using diag::Id;

namespace {

/// No program nests files this deeply.
constexpr std::size_t kMaxFileDepth = 32;

diag::Location placeOfFile(const std::string &name) {
    diag::Location p;
    p.file = name;
    return p;
}

/// Describes the beginning of a file that is not a JSON object, if it is recognised.
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
    const std::size_t at = text.find_first_not_of(" \t\r\n", startOfText(text));
    return at != std::string_view::npos && text[at] == '{';
}

/// Decompresses a compressed text; if this fails, reports it and returns false.
bool inflate(std::string &text, const std::string &name, LoadContext &context) {
    if (!gzip::isCompressed(text))
        return true;
    Result<std::string> inflated = gzip::inflate(text, context.limits.inflatedBytes);
    if (!inflated) {
        context.diags.report(Id::FileUnreadable, placeOfFile(name), inflated.error());
        return false;
    }
    text = std::move(*inflated);
    return true;
}

/// Reads the graph in a text of any form; if this fails, reports it and returns null.
std::unique_ptr<ir::SDFG> readInflated(std::string text, const std::string &name, LoadContext &context) {
    if (looksLikeGraphText(text)) {
        if (auto bad = firstInvalidUtf8(text)) {
            diag::Location place = text::Cursor(text, name).place(*bad);
            context.diags.report(Id::InvalidUtf8, std::move(place), describeByte(text[*bad]));
            return nullptr;
        }
        return text::TextReader(text, name, context).readRoot();
    }
    if (!looksLikeObject(text)) {
        diag::Diagnostic &fault = context.diags.report(Id::NotAGraphFile, placeOfFile(name), firstBytes(text));
        if (std::string hint = hintForNoGraph(name, text); !hint.empty())
            fault.hint = std::move(hint);
        return nullptr;
    }
    auto doc = std::make_unique<Document>(std::move(text), name);
    return doc->parse(context.diags, context.limits) ? GraphReader(*doc, context).readRoot(doc->root()) : nullptr;
}

std::unique_ptr<ir::SDFG> readRoot(std::string text, const std::string &name, diag::Engine &d, const Limits &l) {
    LoadContext context{d, l, {file::absolute(name)}};
    auto g = inflate(text, name, context) ? readInflated(std::move(text), name, context) : nullptr;
    if (g)
        g->renumber();
    return g;
}

} // namespace

std::unique_ptr<ir::SDFG> loadExternal(const std::string &namedBy, const std::string &file, LoadContext &context,
                                       const std::function<void(diag::Message)> &report) {
    const std::string path = file::join(file::folderOf(namedBy), file);
    const std::string whole = file::absolute(path);
    auto refuse = [&](diag::Message message) {
        report(std::move(message));
        return nullptr;
    };
    if (std::find(context.openFiles.begin(), context.openFiles.end(), whole) != context.openFiles.end())
        return refuse({Id::ExternalCycle, file});
    if (context.openFiles.size() >= kMaxFileDepth)
        return refuse({Id::TooManyNestedGraphs, kMaxFileDepth});
    Result<std::string> text = file::readRegular(path, context.limits.fileBytes);
    if (!text)
        return refuse({Id::FileUnreadable, text.error()});
    if (!inflate(*text, path, context))
        return refuse({Id::ExternalBroken, file});
    // A file may be referenced often and reference many others, so the total size is limited before reading.
    context.externalBytes += text->size();
    if (context.externalBytes > context.limits.inflatedBytes)
        return refuse({Id::ExternalTooLarge, context.limits.inflatedBytes});
    context.openFiles.push_back(whole);
    auto g = readInflated(std::move(*text), path, context);
    context.openFiles.pop_back();
    return g ? std::move(g) : refuse({Id::ExternalBroken, file});
}

/// Up to 0.9, a nested SDFG was a string with its JSON.
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
        d.report(Id::FileUnreadable, placeOfFile(path), text.error()).hint = hintForUnreadable(path);
        return nullptr;
    }
    return readRoot(std::move(*text), path, d, l);
}

std::unique_ptr<ir::SDFG> readText(std::string text, const std::string &nameForDiagnostics, diag::Engine &d, const Limits &l) {
    return readRoot(std::move(text), nameForDiagnostics, d, l);
}

} // namespace sdfgc::serialize
