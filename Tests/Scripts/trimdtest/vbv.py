"""The decoder's buffer (VBV) of a finished file, by its packets alone: the lowest fullness, from the first frame to the last.

The buffer fills at the highest bit rate up to its size; each packet leaves it at its decoding time. It begins nine tenths full, as x264
and x265 do. Below zero, a decoder of that rate and that buffer would have had to wait.
"""
import sys
from fractions import Fraction


def packets(path):
    """(decoding time in seconds, bits) of the first video track's packets, in decoding order."""
    import av
    with av.open(path) as file:
        stream = file.streams.video[0]
        found = [(packet.dts * Fraction(packet.time_base), 8 * packet.size) for packet in file.demux(stream) if packet.dts is not None and packet.size]
    if any(later < earlier for (earlier, _), (later, _) in zip(found, found[1:])):
        raise ValueError(f"{path}: decoding times fall")
    return found


def lowest(found, rate, size, start=None):
    """The lowest fullness in bits, its time, and how full the buffer is behind the last packet."""
    fullness = Fraction(size) * 9 / 10 if start is None else Fraction(start)
    worst, place, last = fullness, found[0][0], found[0][0]
    for time, bits in found:
        fullness = min(size, fullness + rate * (time - last)) - bits
        last = time
        if fullness < worst:
            worst, place = fullness, time
    return worst, place, fullness


if __name__ == "__main__":
    worst, place, _ = lowest(packets(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    print(f"{sys.argv[1]}: lowest fullness {float(worst):.0f} bits at {float(place):.3f} s")
    sys.exit(worst < 0)
