"""Certified integer enclosures of exp, log and ln 2.

Every function returns integers ``lo <= 2**bits * y <= hi`` for the exact real
``y``. Only integers are used. Error ledgers count *units*, 1 unit = ``2**-w``
for the working precision ``w > bits``; ``S`` stands for ``2**w``.

Method (argument reduction, table, Taylor polynomial): R. Brent and
P. Zimmermann, *Modern Computer Arithmetic*, Cambridge 2010, section 4.
"""

from functools import lru_cache

# Working precisions are multiples of this, so that few tables are ever built.
_GRID = 32
# Guard bits: the ledgers below stay under 2 * k + 8 units, see there for k.
_GUARD = 12
# Extra precision while tables are built; their build errors stay below 2**20 units.
_TABLE_GUARD = 32
_EXP_INDEX_BITS = 8
_LOG_INDEX_BITS = 7


def _working_precision(bits: int, exponent: int) -> int:
    return -(-(bits + _GUARD + exponent.bit_length()) // _GRID) * _GRID


def _atanh_inverse(n: int, w: int) -> int:
    """``2**w * atanh(1/n)`` for n >= 2, at most ``w + 4`` units too small.

    Each of the at most ``w / (2 log2 n) + 1`` terms loses less than 2 units to
    the two floors; the tail is below one unit.
    """
    power = (1 << w) // n
    square = n * n
    total = power
    divisor = 3
    while power:
        power //= square
        total += power // divisor
        divisor += 2
    return total


@lru_cache(maxsize=64)
def ln2_enclosure(bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * ln 2 <= hi`` with ``hi - lo <= 2``, for ``bits >= 0``.

    ``ln 2 = 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749)``.

    Raises
    ------
    ValueError
        If ``bits`` is negative.
    """
    if bits < 0:
        raise ValueError("bits must be >= 0")
    # The sum is off by at most 28 * (w + 4) units; extra >= bit_length(w) + 16 makes
    # that less than 2**-10 of one final unit: the two floors differ by at most one.
    extra = 16 + (bits + 64).bit_length()
    w = bits + extra
    total = 18 * _atanh_inverse(26, w) - 2 * _atanh_inverse(4801, w) + 8 * _atanh_inverse(8749, w)
    slack = 28 * (w + 4)
    return (total - slack) >> extra, ((total + slack) >> extra) + 1


@lru_cache(maxsize=16)
def _exp_tables(w: int) -> tuple[int, tuple[int, ...], int, tuple[int, ...]]:
    """Lower ln 2, ``S exp(-j/256)`` within 1.01 units, Taylor coefficients ``S / n!``."""
    wide = w + _TABLE_GUARD
    # Degree: the first omitted term, at most S 2**(-8 n) / n!, is below one unit.
    coefficients = [1 << wide]
    n = 0
    while coefficients[-1] >> (_EXP_INDEX_BITS * n):
        n += 1
        coefficients.append(coefficients[-1] // n)
    step = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        step = c - (step >> _EXP_INDEX_BITS)
    # step is within 3 units of 2**wide exp(-1/256); each product adds at most 5 more,
    # so the last of the 178 entries, j <= 256 ln 2, is within 2**10 wide units.
    table = [1 << wide]
    for _ in range(177):
        table.append(table[-1] * step >> wide)
    narrow = [c >> _TABLE_GUARD for c in coefficients]
    kept = [c for i, c in enumerate(narrow) if c >> (_EXP_INDEX_BITS * i)]
    return (
        ln2_enclosure(w)[0],
        tuple(t >> _TABLE_GUARD for t in table),
        kept[-1],
        tuple(reversed(kept[:-1])),
    )


def exp_enclosure(p: int, q: int, bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * exp(-p/q) <= hi`` with ``hi - lo <= 2``.

    Domain: ``p >= 0``, ``q > 0``, ``bits >= 0``. Below ``2**-bits`` the answer is
    ``(0, 1)`` and costs nothing; ``p == 0`` gives ``(2**bits, 2**bits)``.

    Raises
    ------
    ValueError
        Outside the domain.
    """
    return scaled_exp_enclosure(0, p, q, bits)


def scaled_exp_enclosure(shift: int, p: int, q: int, bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * min(1, 2**shift * exp(-p/q)) <= hi`` with ``hi - lo <= 2``.

    Domain: ``p >= 0``, ``q > 0``, ``bits >= 0``, any ``shift``.

    Raises
    ------
    ValueError
        Outside the domain.
    """
    if p <= 0 or q <= 0 or bits < 0:
        if p < 0 or q <= 0 or bits < 0:
            raise ValueError("p and bits must be >= 0 and q must be > 0")
        if bits + min(shift, 0) < 0:
            return 0, 1
        exact = 1 << bits + min(shift, 0)
        return exact, exact
    scale = bits + shift
    if p >= q * scale:  # 2**scale exp(-scale) <= 1, also for a negative scale
        return 0, 1
    w = _working_precision(bits, shift)
    ln2, table, top, coefficients = _exp_tables(w)
    # X = S p/q = k S ln 2 + R, and r - 2 k <= R < r + 1 since S ln 2 - 2 <= ln2 <= S ln 2.
    # exp(-p/q) = 2**-k exp(-R/S).
    k, r = divmod((p << w) // q, ln2)
    full = 1 << bits
    if k < shift:  # X < shift * ln2 <= shift S ln 2, so the minimum is 1
        return full, full
    j = r >> (w - _EXP_INDEX_BITS)
    f = r - (j << (w - _EXP_INDEX_BITS))
    # Horner with f/S < 2**-8: coefficient and product floors give below 1.01 units,
    # the omitted Taylor terms below 1.01.
    a = top
    for c in coefficients:
        a = c - (f * a >> w)
    # Table 1.01 + polynomial 2.02 + product floor 1 + (2 k + 1) for R - r: < 2 k + 6.
    m = table[j] * a >> w
    error = 2 * k + 8
    down = w + k - scale
    return min((m - error) >> down, full), min(((m + error) >> down) + 1, full)


@lru_cache(maxsize=16)
def _log_tables(w: int) -> tuple[int, tuple[int, ...], int, tuple[int, ...]]:
    """Lower ln 2, ``S ln(A/128)`` for A = 128..255 within 1.01 units, ``S / (2 i + 1)``."""
    wide = w + _TABLE_GUARD
    first = 1 << _LOG_INDEX_BITS
    logarithm = 0
    table: list[int] = []
    for a in range(first, 2 * first):
        table.append(logarithm >> _TABLE_GUARD)
        logarithm += 2 * _atanh_inverse(2 * a + 1, wide)  # ln((a + 1) / a)
    # The first omitted term of 2 atanh(z), z < 2**-8, is below 2**-8 units.
    count = w // (2 * (_LOG_INDEX_BITS + 1)) + 1
    series = [(1 << w) // (2 * i + 1) for i in range(count)]
    return ln2_enclosure(w)[0], tuple(table), series[-1], tuple(reversed(series[:-1]))


def log_enclosure(p: int, q: int, bits: int) -> tuple[int, int]:
    """Return ``lo <= 2**bits * ln(p/q) <= hi`` with ``hi - lo <= 2``.

    Domain: ``p > 0``, ``q > 0``, ``bits >= 0``; ``p == q`` gives ``(0, 0)``.

    Raises
    ------
    ValueError
        Outside the domain.
    """
    if p <= 0 or q <= 0 or bits < 0:
        raise ValueError("p and q must be > 0 and bits must be >= 0")
    if p == q:
        return 0, 0
    # p/q = 2**e (p/q scaled into [1, 2)).
    e = p.bit_length() - q.bit_length()
    if e >= 0:
        q <<= e
    else:
        p <<= -e
    if p < q:
        e -= 1
        p <<= 1
    w = _working_precision(bits, e)
    ln2, table, top, series = _log_tables(w)
    # ln(p/q) = ln(a/128) + 2 atanh(z), z = (128 p - a q) / (128 p + a q) < 2**-8.
    p <<= _LOG_INDEX_BITS
    a = p // q
    aq = a * q
    z = ((p - aq) << w) // (p + aq)
    y = z * z >> w
    s = top
    for c in series:
        s = c + (y * s >> w)
    # z 2.01 + series (2.1 units, times 2 z < 2**-7) 0.02 + omitted terms 0.01 + floor 1
    # + table 1.01 + 2 |e| for ln 2: below 2 |e| + 5.
    v = e * ln2 + table[a - (1 << _LOG_INDEX_BITS)] + (2 * z * s >> w)
    error = 2 * abs(e) + 8
    down = w - bits
    return (v - error) >> down, ((v + error) >> down) + 1
