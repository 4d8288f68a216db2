#include "sdfgc/Run/Npy.h"

#include <algorithm>
#include <bit>
#include <charconv>

namespace sdfgc::run {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr bool littleEndian = std::endian::native == std::endian::little;

/// The header: a Python dictionary with the keys `descr`, `fortran_order` and `shape`.
class Header {
public:
    explicit Header(std::string_view text) : text_(text) {}

    std::string descr;
    bool fortranOrder = false;
    std::vector<int64_t> shape;

    /// Returns what is wrong, or nothing.
    std::optional<std::string> read() {
        bool haveDescr = false, haveOrder = false, haveShape = false;
        if (!take('{'))
            return "its header is no dictionary";
        while (!take('}')) {
            const std::optional<std::string> key = quoted();
            if (!key || !take(':'))
                return "its header is damaged";
            if (*key == "descr") {
                if (peek() == '[')
                    return "it has records; give arrays of numbers";
                std::optional<std::string> value = quoted();
                haveDescr = value.has_value();
                descr = value.value_or("");
            } else if (*key == "fortran_order") {
                fortranOrder = word("True");
                haveOrder = fortranOrder || word("False");
            } else if (*key == "shape") {
                haveShape = tuple();
            } else {
                return "its header has the unknown key `" + *key + "`";
            }
            take(',');
        }
        return haveDescr && haveOrder && haveShape ? std::nullopt : std::optional<std::string>("its header is incomplete");
    }

private:
    void blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
            ++at_;
    }
    char peek() {
        blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool take(char c) {
        if (peek() != c)
            return false;
        ++at_;
        return true;
    }
    bool word(std::string_view w) {
        blanks();
        if (!text_.substr(at_).starts_with(w))
            return false;
        at_ += w.size();
        return true;
    }
    std::optional<std::string> quoted() {
        const char quote = peek();
        if (quote != '\'' && quote != '"')
            return std::nullopt;
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos)
            return std::nullopt;
        std::string out(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return out;
    }
    bool tuple() {
        if (!take('('))
            return false;
        while (!take(')')) {
            blanks();
            int64_t value = 0;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (error != std::errc() || value < 0)
                return false;
            at_ = static_cast<std::size_t>(end - text_.data());
            word("L"); // Python 2
            shape.push_back(value);
            take(',');
        }
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// `<f8` and the like; the first character says the byte order.
std::optional<Dtype> parseDescr(const std::string &descr, bool &swapped) {
    if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
        return std::nullopt;
    int size = 0;
    const char *last = descr.data() + descr.size();
    const auto [end, error] = std::from_chars(descr.data() + 2, last, size);
    const std::string_view sizes[] = {"b1", "i1248", "u1248", "f248", "c816", "V"};
    const char kind = descr[1];
    if (error != std::errc() || end != last || size < 1)
        return std::nullopt;
    const bool known = kind == 'c'   ? size == 8 || size == 16
                       : kind == 'V' ? size <= 2
                                     : std::any_of(std::begin(sizes), std::end(sizes), [&](std::string_view s) {
                                           return s[0] == kind && size < 10 && s.find(static_cast<char>('0' + size), 1) != s.npos;
                                       });
    if (!known)
        return std::nullopt;
    swapped = descr[0] == (littleEndian ? '>' : '<') && size > 1;
    return Dtype{kind, size};
}

void swapBytes(std::string &data, const Dtype &t) {
    const std::size_t unit = static_cast<std::size_t>(t.kind == 'c' ? t.size / 2 : t.size);
    for (std::size_t at = 0; at + unit <= data.size(); at += unit)
        std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at), data.begin() + static_cast<std::ptrdiff_t>(at + unit));
}

/// From column-major to row-major.
std::string transposed(const std::string &data, const std::vector<int64_t> &shape, std::size_t size) {
    std::string out(data.size(), '\0');
    std::vector<int64_t> index(shape.size(), 0), stride(shape.size(), 1);
    for (std::size_t d = 1; d < shape.size(); ++d)
        stride[d] = stride[d - 1] * shape[d - 1];
    int64_t from = 0;
    for (std::size_t to = 0; to < data.size(); to += size) {
        std::copy_n(data.begin() + from * static_cast<int64_t>(size), size, out.begin() + static_cast<std::ptrdiff_t>(to));
        for (std::size_t d = shape.size(); d-- > 0;) {
            from += stride[d];
            if (++index[d] < shape[d])
                break;
            from -= stride[d] * shape[d];
            index[d] = 0;
        }
    }
    return out;
}

uint32_t littleNumber(std::string_view bytes) {
    uint32_t n = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        n = n << 8 | static_cast<unsigned char>(bytes[i]);
    return n;
}

/// Number of elements; nothing when it does not fit.
std::optional<int64_t> product(const std::vector<int64_t> &shape) {
    int64_t n = 1;
    for (int64_t s : shape)
        if (__builtin_mul_overflow(n, s, &n))
            return std::nullopt;
    return n;
}

} // namespace

std::string Dtype::name() const {
    const std::string bits = std::to_string(size * 8);
    switch (kind) {
    case 'b':
        return "bool";
    case 'i':
        return "int" + bits;
    case 'u':
        return "uint" + bits;
    case 'f':
        return "float" + bits;
    case 'c':
        return "complex" + bits;
    default:
        return "void" + bits;
    }
}

std::optional<Dtype> dtypeOf(Type t) {
    const std::optional<int64_t> bytes = t.bytes();
    if (!t.isScalar() || !bytes || *bytes < 1)
        return std::nullopt;
    const int size = static_cast<int>(*bytes);
    switch (t.scalar()) {
    case ScalarKind::BFloat16:
    case ScalarKind::Float8E4M3FN:
    case ScalarKind::Float8E5M2:
        return Dtype{'u', size};
    case ScalarKind::String:
    case ScalarKind::PyObject:
        return std::nullopt;
    default:
        break;
    }
    if (t.isBool())
        return Dtype{'b', 1};
    if (t.isComplex())
        return Dtype{'c', size};
    if (t.isFloat())
        return Dtype{'f', size};
    return Dtype{t.isUnsigned() ? 'u' : 'i', size};
}

int64_t NpyArray::elements() const { return product(shape).value_or(0); }

Result<NpyArray> parseNpy(std::string_view file) {
    if (!file.starts_with(magic) || file.size() < 12)
        return Failure{"it is no NumPy file"};
    const int version = static_cast<unsigned char>(file[6]);
    if (version < 1 || version > 3)
        return Failure{"its format version " + std::to_string(version) + " is not known"};
    const std::size_t lengthBytes = version == 1 ? 2 : 4, begin = 8 + lengthBytes;
    const std::size_t length = littleNumber(file.substr(8, lengthBytes));
    if (length > file.size() - begin)
        return Failure{"it ends in the middle of its header"};
    Header header(file.substr(begin, length));
    if (std::optional<std::string> wrong = header.read())
        return Failure{*wrong};
    NpyArray out;
    bool swapped = false;
    const std::optional<Dtype> dtype = parseDescr(header.descr, swapped);
    if (!dtype)
        return Failure{"its elements have the type `" + header.descr + "`, which is no type of numbers"};
    out.dtype = *dtype;
    out.shape = header.shape;
    const std::optional<int64_t> elements = product(out.shape);
    const std::string_view data = file.substr(begin + length);
    int64_t bytes = 0;
    if (!elements || __builtin_mul_overflow(*elements, int64_t(dtype->size), &bytes) || static_cast<uint64_t>(bytes) > data.size())
        return Failure{"it is shorter than its header says"};
    out.data = data.substr(0, static_cast<std::size_t>(bytes));
    if (swapped)
        swapBytes(out.data, out.dtype);
    if (header.fortranOrder && out.shape.size() > 1)
        out.data = transposed(out.data, out.shape, static_cast<std::size_t>(dtype->size));
    return out;
}

std::string npyText(const NpyArray &a) {
    std::string shape;
    for (int64_t s : a.shape)
        shape += std::to_string(s) + ", ";
    if (a.shape.size() > 1) // `(3,)`, but `(3, 4)`
        shape.resize(shape.size() - 2);
    else if (!shape.empty())
        shape.pop_back();
    const char order = a.dtype.size == 1 ? '|' : littleEndian ? '<' : '>';
    std::string header = std::string("{'descr': '") + order + a.dtype.kind + std::to_string(a.dtype.size) +
                         "', 'fortran_order': False, 'shape': (" + shape + "), }";
    constexpr std::size_t alignment = 64, before = 10; // magic, version, length
    header.append((alignment - (before + header.size() + 1) % alignment) % alignment, ' ');
    header += '\n';
    std::string out(magic);
    out += std::string("\x01\x00", 2);
    out += static_cast<char>(header.size() & 0xff);
    out += static_cast<char>(header.size() >> 8);
    return out + header + a.data;
}

} // namespace sdfgc::run
