"""Compiled loops for pictures: from values at all pixels to classes, ties and shades, and from these to colours.

A shade is a whole number up to `most` that shows how sure the model is: ``distance * scale + base``, rounded down.
`names` are the numbers of the classes.  The arrays that are filled have shape (height, width).
"""

from __future__ import annotations

import numpy as np

from solver.core._compile import jit


@jit
def two_classes(f, noise, scale, base, most, names, classes, tie, shade):  # type: ignore[no-untyped-def]
    """Fill in the pixels of one f, which is set to 0 where abs(f) is at most `noise`: there the two classes tie."""
    negative, positive = names[0], names[1]
    for j in range(f.shape[0]):
        for i in range(f.shape[1]):
            value = f[j, i]
            tied = abs(value) <= noise
            value = 0.0 if tied else value
            f[j, i] = value
            tie[j, i] = tied
            classes[j, i] = positive if value > 0.0 else negative
            level = abs(value) * scale + base
            shade[j, i] = np.uint8(np.int32(level if level < most else most))


@jit
def one_vs_rest(f, noise, scale, base, most, names, classes, tie, shade):  # type: ignore[no-untyped-def]
    """Fill in the pixels of an f for each class, shape (n_classes, height, width): the largest wins, its lead is the
    shade.
    """
    for j in range(f.shape[1]):
        for i in range(f.shape[2]):
            winner, best, second = 0, f[0, j, i], -np.inf
            for p in range(1, f.shape[0]):
                value = f[p, j, i]
                if value > best:
                    winner, best, second = p, value, best
                elif value > second:
                    second = value
            level = (best - second) * scale + base
            tie[j, i] = best - second <= noise
            classes[j, i] = names[winner]
            shade[j, i] = np.uint8(np.int32(level if level < most else most))


@jit
def one_vs_one(f, pairs, noise, scale, base, most, names, classes, tie, shade):  # type: ignore[no-untyped-def]
    """Fill in the pixels of an f for each pair of classes, shape (n_pairs, height, width): most duels win.

    `pairs`, shape (n_pairs, 2), are the classes for which f is positive and negative.  The shade is that of the closest
    duel of the winner.  Where this duel may be a tie, an f of at most `noise` is half a win for both.
    """
    won = np.empty(len(names), dtype=np.int64)
    for j in range(f.shape[1]):
        for i in range(f.shape[2]):
            for c in range(len(won)):
                won[c] = 0
            for p in range(len(pairs)):
                won[pairs[p, 0 if f[p, j, i] > 0.0 else 1]] += 1
            winner, closest = 0, np.inf
            for c in range(1, len(won)):
                winner = c if won[c] > won[winner] else winner
            for p in range(len(pairs)):
                if pairs[p, 0] == winner:
                    closest = min(closest, f[p, j, i])
                elif pairs[p, 1] == winner:
                    closest = min(closest, -f[p, j, i])
            tied = closest <= noise
            if tied:  # a class that has won every duel wins alone; elsewhere the duels won are counted
                for c in range(len(won)):
                    won[c] = 0
                for p in range(len(pairs)):
                    if abs(f[p, j, i]) > noise:
                        sign = 1 if f[p, j, i] > 0.0 else -1
                        won[pairs[p, 0]] += sign
                        won[pairs[p, 1]] -= sign
                leader, leaders = 0, 1
                for c in range(1, len(won)):
                    if won[c] > won[leader]:
                        leader, leaders = c, 1
                    elif won[c] == won[leader]:
                        leaders += 1
                tied = leaders > 1
            level = max(closest, 0.0) * scale + base
            tie[j, i] = tied
            classes[j, i] = names[winner]
            shade[j, i] = np.uint8(np.int32(level if level < most else most))


@jit
def votes(top, share, even, most, names, classes, shade):  # type: ignore[no-untyped-def]
    """Fill in the pixels of winners, indices into `names`; the shade is a share's excess over an `even` one."""
    for j in range(top.shape[0]):
        for i in range(top.shape[1]):  # a loop of its own: the table would keep the next one from being vectorised
            classes[j, i] = names[top[j, i]]
        for i in range(top.shape[1]):
            level = (share[j, i] - even) / (1.0 - even) * most + 0.5
            shade[j, i] = np.uint8(np.int32(level if level < most else most))


@jit
def most_probable(shares, top, best, tie):  # type: ignore[no-untyped-def]
    """Fill in the index of the largest of the probabilities `shares` (n_classes, height, width), and its value."""
    for j in range(shares.shape[1]):
        for i in range(shares.shape[2]):
            winner, tied = 0, False
            for c in range(1, len(shares)):
                if shares[c, j, i] > shares[winner, j, i]:
                    winner, tied = c, False
                elif shares[c, j, i] == shares[winner, j, i]:
                    tied = True
            top[j, i], best[j, i], tie[j, i] = winner, shares[winner, j, i], tied


@jit
def colours(classes, tie, shade, shades, table, out):  # type: ignore[no-untyped-def]
    """Fill in colours from `table`: those of class c begin at ``c * shades``, and that of a tie is the last.

    Row 0 of `out` is the highest, that of the other arrays the lowest.
    """
    last = np.uint64(len(table) - 1)
    for j in range(len(out)):
        for i in range(out.shape[1]):
            # Without a sign, no index can count from the end of the table, which would have to be checked.
            at = np.uint64(shades * classes[j, i] + shade[j, i])
            out[len(out) - 1 - j, i] = table[last if tie[j, i] else at]
