// Decodes how an instruction of a kernel uses memory, for single-stepping (watch.h). Part of gpu_emulate.cpp.
//
// Rules: x86-64's encoding (Intel's manual, volume 2: legacy prefixes and REX, VEX, EVEX). Only instructions that compilers
// generate for loops are decoded; for others the minimum of one byte is assumed.
#pragma once

#ifdef __x86_64__

namespace sdfgc::gpu::emulate {

class Instruction {
public:
    explicit Instruction(const unsigned char *code) {
        for (;; ++code) {
            if (*code == 0xf0)
                locks_ = true;
            else if (*code == 0x66 || *code == 0xf2 || *code == 0xf3)
                prefix_ = *code == 0x66 ? 1 : *code == 0xf3 ? 2 : 3;
            else if ((*code & 0xf0) == 0x40)
                wide_ = (*code & 8) != 0;
            else if (*code != 0x67 && *code != 0x2e && *code != 0x36 && *code != 0x3e && *code != 0x26 && *code != 0x64 &&
                     *code != 0x65)
                break;
        }
        decode(code);
    }

    /// Is the access atomic: a lock prefix, or an exchange?
    bool isAtomic() const { return locks_ || (map_ == 0 && (opcode_ == 0x86 || opcode_ == 0x87)); }

    /// The minimum number of bytes that it accesses, from the first one on.
    unsigned bytes() const {
        if (masked_)
            return 1;
        switch (map_) {
        case 0: // moves of general registers
            return opcode_ == 0x8b || opcode_ == 0x89 || opcode_ == 0xc7 ? wide_ ? 8 : prefix_ == 1 ? 2 : 4 : 1;
        case 1:
            return bytesOfMap1();
        case 2:
            return bytesOfMap2();
        default:
            return map_ == 3 && isIn("\x02\x06\x0c\x0d\x0e\x0f\x46") ? width_ : 1;
        }
    }

private:
    void decode(const unsigned char *code) {
        if (*code == 0xc5) { // VEX of two bytes
            map_ = 1;
            prefix_ = code[1] & 3;
            width_ = code[1] & 4 ? 32 : 16;
            opcode_ = code[2];
        } else if (*code == 0xc4) { // of three
            map_ = code[1] & 31;
            prefix_ = code[2] & 3;
            width_ = code[2] & 4 ? 32 : 16;
            opcode_ = code[3];
        } else if (*code == 0x62) { // EVEX
            map_ = code[1] & 7;
            prefix_ = code[2] & 3;
            width_ = 16u << (code[3] >> 5 & 3);
            masked_ = (code[3] & 0x17) != 0; // with a mask, or one element for all
            opcode_ = code[4];
        } else if (*code == 0x0f) {
            map_ = code[1] == 0x38 ? 2 : code[1] == 0x3a ? 3 : 1;
            opcode_ = code[map_ == 1 ? 1 : 2];
        } else {
            opcode_ = *code;
        }
    }
    bool isIn(const char *opcodes) const {
        for (; *opcodes; ++opcodes)
            if (opcode_ == static_cast<unsigned char>(*opcodes))
                return true;
        return false;
    }
    bool isFrom(unsigned first, unsigned last) const { return opcode_ >= first && opcode_ <= last; }

    /// 0F: moves and arithmetic. Prefixes: 0 none, 1 66, 2 F3, 3 F2.
    unsigned bytesOfMap1() const {
        const bool moves = opcode_ == 0x6f || opcode_ == 0x7f;
        if (prefix_ >= 2) { // scalars, except for these
            if (moves || opcode_ == 0x5b)
                return width_;
            if (prefix_ == 2 && (opcode_ == 0xe6 || opcode_ == 0x7e))
                return opcode_ == 0xe6 ? width_ / 2 : 8;
            return isIn("\x10\x11\x51") || isFrom(0x58, 0x5f) ? (prefix_ == 2 ? 4 : 8) : 1;
        }
        if (isIn("\x12\x13\x16\x17")) // half of a register
            return 8;
        if (prefix_ == 1 && isIn("\x6e\x7e\xd6"))
            return opcode_ == 0xd6 || wide_ ? 8 : 4;
        if (opcode_ == 0x5a) // float to double reads half of the result's width
            return prefix_ == 0 ? width_ / 2 : width_;
        if (isIn("\x10\x11\x14\x15\x28\x29\x2b\x51\xc2\xc6") || isFrom(0x54, 0x5f))
            return width_;
        const bool shifts = isFrom(0xd1, 0xd3) || isFrom(0xe1, 0xe2) || isFrom(0xf1, 0xf3);
        const bool integers = isFrom(0x60, 0x6d) || isFrom(0x74, 0x76) || isFrom(0xd4, 0xd5) || isFrom(0xd8, 0xe5) ||
                              isFrom(0xe7, 0xef) || isFrom(0xf4, 0xf6) || isFrom(0xf8, 0xfe);
        return prefix_ == 1 && (moves || (integers && !shifts)) ? width_ : 1;
    }
    /// 0F 38: more arithmetic, and widening of integers.
    unsigned bytesOfMap2() const {
        if (prefix_ != 1)
            return 1;
        if (isFrom(0x20, 0x25) || isFrom(0x30, 0x35)) {
            static constexpr unsigned parts[] = {2, 4, 8, 2, 4, 2};
            return width_ / parts[opcode_ & 7];
        }
        const bool multipliesAndAdds =
            isFrom(0x96, 0xbf) && (opcode_ & 15) >= 6 && (isIn("\x96\x97\xa6\xa7\xb6\xb7") || opcode_ % 2 == 0);
        return multipliesAndAdds || isFrom(0x00, 0x0b) || isFrom(0x1c, 0x1e) || isFrom(0x28, 0x29) || isFrom(0x37, 0x40) ? width_
                                                                                                                         : 1;
    }

    bool locks_ = false, masked_ = false, wide_ = false; // wide: REX.W
    unsigned map_ = 0, prefix_ = 0, opcode_ = 0;
    unsigned width_ = 16; // of a vector
};

} // namespace sdfgc::gpu::emulate

#endif
