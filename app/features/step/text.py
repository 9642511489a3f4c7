"""Text of the step panel: headings, formulas with the present numbers, the end of a run; no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.core.number_format import distinct, grouped, short, signed
from app.engine.run_state import RunState
from solver import Certificate, Status
from solver.inspection.step_explanation import Explanation

from .geometry import StepGain

TEACHING = (
    "Why this pair, and what the step does: train an SVM by SMO, pause, and go step by step with the keys , and ."
)
#: How a rule found a point without comparing.
HOW = {"drawn": "drawn", "next": "next in order", "first": "first that moves"}


def number(value: float) -> str:
    """Return `short` with true minus signs."""
    return signed(short(value))


def alike(values: Sequence[float]) -> list[str]:
    """Return numbers with as many decimals as distinguish them in three digits."""
    finite = [value for value in values if math.isfinite(value)]
    largest = max((abs(value) for value in finite), default=0.0)
    spread = max(finite, default=0.0) - min(finite, default=0.0) or largest
    decimals = 2 - math.floor(math.log10(spread)) if spread > 0.0 else 1
    if largest >= 1e5 or decimals > 7:
        return [*map(signed, distinct(values))]
    digits = max(decimals, 0)
    texts = (f"{value + 0.0:.{digits}f}" if math.isfinite(value) else short(value) for value in values)
    return [*map(signed, texts)]


def ranked(values: Sequence[float]) -> list[str]:
    """Return numbers, the best first, with as many decimals as distinguish it from the next."""
    behind = next((abs(value - values[0]) for value in values if value != values[0]), 0.0)
    largest = max(map(abs, values), default=0.0)
    if not 0.0 < behind < math.inf or largest >= 1e5:
        return alike(values)
    decimals = max(1 - math.floor(math.log10(behind)), 0)
    if decimals > 7 or (0.0 < largest < 0.01):
        return [*map(signed, distinct(values))]
    least = 2 - math.floor(math.log10(largest))  # three digits of the largest
    return [f"{value:.{max(decimals, min(least, 7), 0)}f}".replace("-", "−") for value in values]


def heading(run_state: RunState, step: Explanation | None) -> str:
    """Return the heading: which step it is."""
    if step is None:
        return f"After step {grouped(run_state.step)}" if run_state.step else "Before the first step"
    return f"Last step: {grouped(run_state.step)}" if step.newest else f"Next: step {grouped(run_state.step + 1)}"


def sentence(run_state: RunState) -> str:
    """Return the first sentence."""
    step = run_state.explanation
    if step is not None:
        return step.sentence
    if not run_state.trainer.has_rules:
        texts = run_state.operation or "This learner takes no pairs by a rule."
        if not run_state.trainer.has_f:
            return texts
        return f"{texts} Box, gain and candidates are shown for SMO only."
    if run_state.at_end:
        return "There was no step to make." if run_state.length == 0 else ""
    return "The next step is being looked for."


def closing(run_state: RunState) -> str:
    """Return the sentence about the end of the run; "" while it continues."""
    if not run_state.at_end:
        return ""
    if run_state.trainer.has_rules:
        return ended(run_state.certificate, run_state.tol)
    return run_state.verdict and f"{run_state.verdict}."


#: Sentences about the multipliers at the end of a run.
ENDED = {
    Status.OPTIMAL: "Optimal: no pair is left that could raise the dual by more than the tolerance allows "
    "(m − M = {violation} ≤ {tol}).",
    Status.STATIONARY: "Stationary: no pair is left with vᵢ − vⱼ above the tolerance (m − M = {violation} ≤ {tol}), "
    "but the kernel is not positive semidefinite: a better state may lie elsewhere.",
    Status.PRECISION: "Double precision ends here: it cannot tell which pair still raises the dual "
    "(m − M = {violation}).",
    Status.NOT_SEPARABLE: "Not separable: the dual rises without end. No margin is wider than {bound} on either side.",
    Status.STOPPED_EARLY: "Stopped early: pairs are left that would raise the dual (m − M = {violation}).",
}


def ended(certificate: Certificate, tol: float) -> str:
    """Return the sentence about the multipliers at the end of a run."""
    violation = number(max(certificate.kkt_violation, 0.0))
    bound = number(certificate.margin_bound) if certificate.status is Status.NOT_SEPARABLE else ""
    return ENDED.get(certificate.status, "").format(violation=violation, tol=number(tol), bound=bound)


FORMULA = "λ* = (vᵢ − vⱼ) / (Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ)"


def curvature(step: Explanation) -> str:
    """Return the curvature with numbers: "Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ = 1 + 1 − 2·0.315 = 1.37"."""
    k_ii, k_jj, k_ij = alike_terms(step)
    return f"Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ = {k_ii} + {k_jj} − 2·{k_ij} = {number(step.curvature)}"


def alike_terms(step: Explanation) -> tuple[str, str, str]:
    """Return the kernel values with the digits that matter in the curvature; negative ones in parentheses."""
    terms = (step.k_ii, step.k_jj, step.k_ij)
    digits = alike((0.0, step.curvature))[1].partition(".")[2] if step.curved else ""
    plain = max(map(abs, terms)) < 1e5 and len(digits) <= 7
    texts = [f"{term:.{len(digits)}f}".replace("-", "−") if plain and digits else number(term) for term in terms]
    k_ii, k_jj, k_ij = (f"({text})" if text.startswith("−") else text for text in texts)
    return k_ii.strip("()") if step.k_ii >= 0 else k_ii, k_jj, k_ij


def length(step: Explanation) -> str:
    """Return lambda* with numbers: "= (1.00 − (−1.00)) / 1.37 = 1.46,"."""
    if not step.curved:
        return "does not exist: D has no top here,"
    v_i, v_j = alike((step.v_i, step.v_j))
    minus = f"({v_j})" if v_j.startswith("−") else v_j
    return f"= ({v_i} − {minus}) / {number(step.eta)} = {number(step.unclipped)},"


def clipping(step: Explanation) -> str:
    """Return how lambda* is limited: "clipped to 1 by αⱼ = C"."""
    if not step.curved:
        return f"so λ = {number(step.step)}" + (f", until {step.where}" if step.where else "")
    return f"clipped to {number(step.step)} by {step.where}" if step.clipped else "which lies within the box"


def ticks(step: Explanation, gain: StepGain) -> list[tuple[float, str]]:
    """Return positions and texts below the parabola, the most important first: "H: λ = 1", "0", "λ* = 1.46"."""
    ahead, behind = ("L", "H") if step.y_j > 0 else ("H", "L")
    low, high = gain.limits
    own = f"λ{' = λ*' if step.curved and not step.clipped else ''} = {number(step.step)}"
    found = [(step.step, f"{ahead}: {own}" if high == step.step else own)]
    found.append((0.0, f"{behind}: 0" if low == 0.0 else "0"))
    if high is not None and high != step.step:
        found.append((high, ahead))
    if low is not None and low != 0.0:
        found.append((low, behind))
    if gain.vertex_inside and step.clipped:
        found.append((step.unclipped, f"λ* = {number(step.unclipped)}"))
    return found


def gain_line(step: Explanation) -> str:
    """Return the gain of the step, and the loss by clipping."""
    texts = f"Gain {number(step.gain)}"
    if not step.curved:
        return f"{texts}; no top"
    return f"{texts}; clipping costs {number(step.lost)}" if step.clipped else f"{texts}; the step was not shortened"


def moves(step: Explanation) -> tuple[str, str, str]:
    """Return the changes of the two multipliers, and the limits."""
    a_i, b_i = alike_pair(step.alpha_i, step.after[0])
    a_j, b_j = alike_pair(step.alpha_j, step.after[1])
    return (f"αᵢ: {a_i} → {b_i}", f"αⱼ: {a_j} → {b_j}", f"L = {number(step.low)} ≤ αⱼ ≤ H = {number(step.high)}")


def moves_below(step: Explanation) -> list[str]:
    """Return the changes in short lines; the limits are at the axis."""
    change_i, change_j, _ = moves(step)
    return f"{change_i} {change_j}".replace(" →", "\n→").replace(" αⱼ", "\nαⱼ").split("\n")


def alike_pair(before: float, after: float) -> tuple[str, str]:
    """Return two numbers with the digits that distinguish them."""
    first, second = alike((before, after))
    return (number(before) if before == 0.0 else first), (number(after) if after == 0.0 else second)


def bound(price: float, sign: str, same: bool) -> str:
    """Return "C = 10", "Cⱼ = 2.5"."""
    return f"C{'' if same else sign} = {number(price)}"


def panel_text(run_state: RunState | None, pair: str) -> str:
    """Return the contents of the panel as text."""
    if run_state is None:
        return TEACHING
    step = run_state.explanation
    parts = [heading(run_state, step), sentence(run_state), pair]
    if step is not None:
        parts += [
            step.first.sentence,
            step.second.sentence,
            step.effect,
            *moves(step),
            curvature(step),
            f"{FORMULA} {length(step)} {clipping(step)}",
            gain_line(step),
        ]
    parts.append(closing(run_state))
    return "\n".join(part if part.endswith((".", ":")) else f"{part}." for part in parts if part)
