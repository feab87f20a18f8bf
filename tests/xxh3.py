"""XXH3 of 128 bits without a seed, written from its specification: a second implementation, independent of the
library that memprof uses.

    python3 tests/xxh3.py FILE...      prints the same as xxh128sum
"""
import pathlib
import struct
import sys

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
WORD = 2 ** 64 - 1
PRIMES_32 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIMES = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5


def words(data, place, count):
    return struct.unpack_from(f"<{count}Q", data, place)


def word(data, place):
    return words(data, place, 1)[0]


def half(data, place):
    return struct.unpack_from("<I", data, place)[0]


def folded(a, b):
    """Return the halves of the 128-bit product, combined."""
    product = a * b
    return (product ^ product >> 64) & WORD


def mixed_64(value):
    value = (value ^ value >> 33) * PRIMES[1] & WORD
    value = (value ^ value >> 29) * PRIMES[2] & WORD
    return value ^ value >> 32


def mixed(value):
    value = (value ^ value >> 37) * 0x165667919E3779F9 & WORD
    return value ^ value >> 32


def swapped(value, size):
    return int.from_bytes(value.to_bytes(size, "little"), "big")


def to_3(data):
    length = len(data)
    low = data[0] << 16 | data[length >> 1] << 24 | data[-1] | length << 8
    high = swapped(low, 4)
    high = (high << 13 | high >> 19) & 0xFFFFFFFF
    return (mixed_64(low ^ half(SECRET, 0) ^ half(SECRET, 4)), mixed_64(high ^ half(SECRET, 8) ^ half(SECRET, 12)))


def to_8(data):
    key = half(data, 0) | half(data, len(data) - 4) << 32
    product = (key ^ word(SECRET, 16) ^ word(SECRET, 24)) * (PRIMES[0] + (len(data) << 2))
    low, high = product & WORD, product >> 64
    high = (high + (low << 1)) & WORD
    low ^= high >> 3
    low = (low ^ low >> 35) * 0x9FB21C651E98DF25 & WORD
    return low ^ low >> 28, mixed(high)


def to_16(data):
    first, last = word(data, 0), word(data, len(data) - 8)
    product = (first ^ last ^ word(SECRET, 32) ^ word(SECRET, 40)) * PRIMES[0]
    low, high = (product & WORD) + (len(data) - 1 << 54) & WORD, product >> 64
    last ^= word(SECRET, 48) ^ word(SECRET, 56)
    high = (high + last + (last & 0xFFFFFFFF) * (PRIMES_32[1] - 1)) & WORD
    low ^= swapped(high, 8)
    product = low * PRIMES[1]
    return mixed(product & WORD), mixed((product >> 64) + high * PRIMES[1] & WORD)


class Sum:
    """Accumulators for lengths from 17 to 240."""

    def __init__(self, data):
        self.data, self.low, self.high = data, len(data) * PRIMES[0] & WORD, 0

    def piece(self, place, key):
        a, b = words(self.data, place, 2)
        c, d = words(SECRET, key, 2)
        return folded(a ^ c, b ^ d)

    def add(self, one, other, key):
        self.low = (self.low + self.piece(one, key) & WORD) ^ sum(words(self.data, other, 2)) & WORD
        self.high = (self.high + self.piece(other, key + 16) & WORD) ^ sum(words(self.data, one, 2)) & WORD

    def end(self):
        high = self.low * PRIMES[0] + self.high * PRIMES[3] + len(self.data) * PRIMES[1] & WORD
        return mixed(self.low + self.high & WORD), -mixed(high) & WORD


def to_128(data):
    total = Sum(data)
    for place in reversed(range(0, (len(data) - 1) // 32)):
        total.add(16 * (place + 1), len(data) - 16 * (place + 2), 32 * (place + 1))
    total.add(0, len(data) - 16, 0)
    return total.end()


def to_240(data):
    total = Sum(data)
    for place in range(len(data) // 32):
        if place == 4:
            total.low, total.high = mixed(total.low), mixed(total.high)
        total.add(32 * place, 32 * place + 16, 32 * place if place < 4 else 3 + 32 * (place - 4))
    if len(data) < 160:
        total.low, total.high = mixed(total.low), mixed(total.high)
    total.add(len(data) - 16, len(data) - 32, 103)
    return total.end()


def accumulate(sums, data, place, key):
    for i, (value, secret) in enumerate(zip(words(data, place, 8), words(SECRET, key, 8))):
        product = value ^ secret
        sums[i ^ 1] = sums[i ^ 1] + value & WORD
        sums[i] = sums[i] + (product & 0xFFFFFFFF) * (product >> 32) & WORD


def merged(sums, key, start):
    for i in range(4):
        a, b = words(SECRET, key + 16 * i, 2)
        start += folded(sums[2 * i] ^ a, sums[2 * i + 1] ^ b)
    return mixed(start & WORD)


def longer(data):
    sums = [PRIMES_32[2], PRIMES[0], PRIMES[1], PRIMES[2], PRIMES[3], PRIMES_32[1], PRIMES[4], PRIMES_32[0]]
    for stripe in range((len(data) - 1) // 64):
        accumulate(sums, data, 64 * stripe, 8 * (stripe % 16))
        if stripe % 16 == 15:
            sums = [(one ^ one >> 47 ^ key) * PRIMES_32[0] & WORD for one, key in zip(sums, words(SECRET, 128, 8))]
    accumulate(sums, data, len(data) - 64, 121)
    return merged(sums, 11, len(data) * PRIMES[0] & WORD), merged(sums, 117, ~(len(data) * PRIMES[1]) & WORD)


def xxh128(data):
    """Return the checksum of bytes as 32 digits."""
    length = len(data)
    if not length:
        low, high = (mixed_64(word(SECRET, place) ^ word(SECRET, place + 8)) for place in (64, 80))
    else:
        low, high = next(sum_up for most, sum_up in ((3, to_3), (8, to_8), (16, to_16), (128, to_128), (240, to_240),
                                                    (length, longer)) if length <= most)(data)
    return f"{high:016x}{low:016x}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(xxh128(pathlib.Path(name).read_bytes()), "", name)
