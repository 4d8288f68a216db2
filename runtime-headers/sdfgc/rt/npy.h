// NumPy's files (.npy, format versions 1 to 3: numpy.org/doc/stable/reference/generated/numpy.lib.format.html), in memory.
//
// Files are not trusted: every length is checked against the available data before anything is read or allocated. Objects, text,
// dates and records are rejected. sdfgc itself reads and writes files with these functions, too.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sdfgc::npy {

/// Element type of an array as NumPy names it: kind `b` (bool), `i`, `u`, `f`, `c` or `V` (raw bytes), and bytes per element.
struct Dtype {
    char kind = 'f';
    int size = 8;
    /// `float64`, `complex64`, `bool`, `void16`: for messages.
    std::string name() const {
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
    friend bool operator==(const Dtype &a, const Dtype &b) { return a.kind == b.kind && a.size == b.size; }
    friend bool operator!=(const Dtype &a, const Dtype &b) { return !(a == b); }
};

/// An array in memory: row-major, byte order of this machine.
struct Array {
    Dtype dtype;
    std::vector<std::int64_t> shape;
    std::string data;
};

namespace detail {

constexpr bool littleEndian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
constexpr std::string_view magic{"\x93NUMPY", 6};

inline bool startsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

/// The dictionary in front of the data, written as Python would print it.
class Header {
public:
    explicit Header(std::string_view text) : text_(text) {}

    std::string descr;
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;

    /// Returns an error, or nothing.
    std::string read() {
        bool haveDescr = false, haveOrder = false, haveShape = false;
        if (!take('{'))
            return "its header is no dictionary";
        while (!take('}')) {
            std::string key;
            if (!quoted(key) || !take(':'))
                return "its header is damaged";
            if (key == "descr") {
                if (peek() == '[')
                    return "it has records; give arrays of numbers";
                haveDescr = quoted(descr);
            } else if (key == "fortran_order") {
                fortranOrder = word("True");
                haveOrder = fortranOrder || word("False");
            } else if (key == "shape") {
                haveShape = tuple();
            } else {
                return "its header has the unknown key `" + key + "`";
            }
            take(',');
        }
        return haveDescr && haveOrder && haveShape ? "" : "its header is incomplete";
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
        if (!startsWith(text_.substr(at_), w))
            return false;
        at_ += w.size();
        return true;
    }
    bool quoted(std::string &out) {
        const char quote = peek();
        if (quote != '\'' && quote != '"')
            return false;
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos)
            return false;
        out = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return true;
    }
    bool tuple() {
        if (!take('('))
            return false;
        while (!take(')')) {
            blanks();
            std::int64_t value = 0;
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

/// `<f8` and the like; the first character is the byte order.
inline bool parseDescr(std::string_view descr, Dtype &out, bool &swapped) {
    if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
        return false;
    int size = 0;
    const char *last = descr.data() + descr.size();
    const auto [end, error] = std::from_chars(descr.data() + 2, last, size);
    if (error != std::errc() || end != last || size < 1)
        return false;
    const char kind = descr[1];
    bool known = kind == 'c' ? size == 8 || size == 16 : kind == 'V' && size <= 2;
    for (std::string_view sizes : {"b1", "i1248", "u1248", "f248"})
        known = known || (sizes[0] == kind && size < 10 && sizes.find(static_cast<char>('0' + size), 1) != sizes.npos);
    if (!known)
        return false;
    swapped = descr[0] == (littleEndian ? '>' : '<') && size > 1;
    out = Dtype{kind, size};
    return true;
}

inline void swapBytes(std::string &data, const Dtype &t) {
    const std::size_t unit = static_cast<std::size_t>(t.kind == 'c' ? t.size / 2 : t.size);
    for (std::size_t at = 0; at + unit <= data.size(); at += unit)
        std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at), data.begin() + static_cast<std::ptrdiff_t>(at + unit));
}

/// From column-major to row-major.
inline std::string transposed(const std::string &data, const std::vector<std::int64_t> &shape, std::size_t size) {
    std::string out(data.size(), '\0');
    std::vector<std::int64_t> index(shape.size(), 0), stride(shape.size(), 1);
    for (std::size_t d = 1; d < shape.size(); ++d)
        stride[d] = stride[d - 1] * shape[d - 1];
    std::int64_t from = 0;
    for (std::size_t to = 0; to < data.size(); to += size) {
        std::copy_n(data.begin() + from * static_cast<std::int64_t>(size), size, out.begin() + static_cast<std::ptrdiff_t>(to));
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

inline std::size_t littleNumber(std::string_view bytes) {
    std::size_t n = 0;
    for (std::size_t i = bytes.size(); i-- > 0;)
        n = n << 8 | static_cast<unsigned char>(bytes[i]);
    return n;
}

} // namespace detail

/// The number of elements of a shape; -1 when it does not fit into 64 bits.
inline std::int64_t elements(const std::vector<std::int64_t> &shape) {
    std::int64_t n = 1;
    for (std::int64_t s : shape)
        if (__builtin_mul_overflow(n, s, &n))
            return -1;
    return n;
}

/// Reads the text of a file: any version, both byte orders, both orders of dimensions. Returns an error, or nothing.
inline std::string parse(std::string_view file, Array &out) {
    using namespace detail;
    if (!startsWith(file, magic) || file.size() < 12)
        return "it is no NumPy file";
    const int version = static_cast<unsigned char>(file[6]);
    if (version < 1 || version > 3)
        return "its format version " + std::to_string(version) + " is not known";
    const std::size_t lengthBytes = version == 1 ? 2 : 4, begin = 8 + lengthBytes;
    const std::size_t length = littleNumber(file.substr(8, lengthBytes));
    if (length > file.size() - begin)
        return "it ends in the middle of its header";
    Header header(file.substr(begin, length));
    if (std::string wrong = header.read(); !wrong.empty())
        return wrong;
    bool swapped = false;
    if (!parseDescr(header.descr, out.dtype, swapped))
        return "its elements have the type `" + header.descr + "`, which is no type of numbers";
    out.shape = header.shape;
    const std::string_view data = file.substr(begin + length);
    const std::int64_t count = elements(out.shape);
    std::int64_t bytes = 0;
    if (count < 0 || __builtin_mul_overflow(count, std::int64_t(out.dtype.size), &bytes) ||
        static_cast<std::uint64_t>(bytes) > data.size())
        return "it is shorter than its header says";
    out.data = data.substr(0, static_cast<std::size_t>(bytes));
    if (swapped)
        swapBytes(out.data, out.dtype);
    if (header.fortranOrder && out.shape.size() > 1)
        out.data = transposed(out.data, out.shape, static_cast<std::size_t>(out.dtype.size));
    return "";
}

/// The text of a file of version 1.0 in front of the data.
inline std::string header(const Dtype &dtype, const std::vector<std::int64_t> &sizes) {
    std::string shape;
    for (std::int64_t s : sizes)
        shape += std::to_string(s) + ", ";
    if (sizes.size() > 1) // `(3,)`, but `(3, 4)`
        shape.resize(shape.size() - 2);
    else if (!shape.empty())
        shape.pop_back();
    const char order = dtype.size == 1 ? '|' : detail::littleEndian ? '<' : '>';
    std::string text = std::string("{'descr': '") + order + dtype.kind + std::to_string(dtype.size) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
    constexpr std::size_t alignment = 64, before = 10; // magic, version, length
    text.append((alignment - (before + text.size() + 1) % alignment) % alignment, ' ');
    text += '\n';
    std::string out(detail::magic);
    out += std::string("\x01\x00", 2);
    out += static_cast<char>(text.size() & 0xff);
    out += static_cast<char>(text.size() >> 8);
    return out + text;
}

/// Calls visit(offset) for every element of an array in row-major order of its indices; strides are in elements.
template <class Visit>
void forEachElement(const std::vector<std::int64_t> &shape, const std::vector<std::int64_t> &strides, Visit visit) {
    std::int64_t count = 1;
    for (const std::int64_t s : shape)
        count *= s;
    std::vector<std::int64_t> index(shape.size(), 0);
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        visit(offset);
        for (std::size_t d = shape.size(); d-- > 0;) {
            offset += strides[d];
            if (++index[d] < shape[d])
                break;
            offset -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

} // namespace sdfgc::npy
