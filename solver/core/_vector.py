"""Functions that the compiler turns into vector instructions at full precision.

A running maximum of floats is vectorised only if NaN and signed zeros may be ignored.  numba can allow that for whole
functions only, arithmetic included; here it is allowed for single comparisons, so that all arithmetic remains plain
IEEE.  No argument may be NaN.
"""

from __future__ import annotations

from ._compile import intrinsic, jit

#: Length of a block in the search for the index of a maximum, which reads the block of the maximum only.
BLOCK = 64

_LOG2_E = 1.4426950408889634
#: ln 2 as a sum; the first term has few digits, so that its multiples are exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
#: 1.5 2^52: adding and subtracting it rounds to the nearest whole number, which is then in the last bits.
_ROUND = 6755399441055744.0


def _extremum(name: str):  # type: ignore[no-untyped-def]
    @intrinsic
    def extremum(context, a, b):  # type: ignore[no-untyped-def]
        from llvmlite import ir
        from numba.core import types

        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            kind = arguments[0].type
            function = builder.module.declare_intrinsic(name, (kind,), ir.FunctionType(kind, [kind, kind]))
            return builder.call(function, arguments, fastmath=("nnan", "nsz"))

        return types.float64(types.float64, types.float64), generate

    return extremum


#: ``larger(a, b)`` and ``smaller(a, b)`` return the larger and the smaller of two numbers, neither of them NaN.
larger, smaller = _extremum("llvm.maxnum"), _extremum("llvm.minnum")


@intrinsic
def _float_of(context, bits):  # type: ignore[no-untyped-def]
    """Return the float64 with these 64 bits."""
    from llvmlite import ir
    from numba.core import types

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def _bits_of(context, value):  # type: ignore[no-untyped-def]
    """Return the 64 bits of a float64."""
    from llvmlite import ir
    from numba.core import types

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@jit
def exp_of_negative(out):  # type: ignore[no-untyped-def]
    """Replace ``out[k]`` by ``exp(-out[k])``, for non-negative numbers, with a relative error of 2e-16; 0 from 708 on.

    exp(x) = 2^q exp(r) with q whole and abs(r) <= ln(2) / 2; there the error of the Taylor polynomial of degree 13 is
    below 5e-18.  Calls of the library's exp, one for each number, take three times as long as this vectorised loop.
    """
    for k in range(out.shape[0]):
        x = -smaller(out[k], 708.0)
        q = (x * _LOG2_E + _ROUND) - _ROUND
        r = (x - q * _LN2_HIGH) - q * _LN2_LOW
        s = 1.0 / 6227020800.0
        s = s * r + 1.0 / 479001600.0
        s = s * r + 1.0 / 39916800.0
        s = s * r + 1.0 / 3628800.0
        s = s * r + 1.0 / 362880.0
        s = s * r + 1.0 / 40320.0
        s = s * r + 1.0 / 5040.0
        s = s * r + 1.0 / 720.0
        s = s * r + 1.0 / 120.0
        s = s * r + 1.0 / 24.0
        s = s * r + 1.0 / 6.0
        s = s * r + 0.5
        s = s * r + 1.0
        s = s * r + 1.0
        # The exponent q is in the last bits of q + _ROUND; shifted to the exponent field it makes the number 2^q.
        value = s * _float_of((_bits_of(q + (_ROUND + 1023.0))) << 52)
        out[k] = value if out[k] < 708.0 else 0.0
