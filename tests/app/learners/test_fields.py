"""The fields of all learners: each parameter has one, those of one name are alike, and each change has its text."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta
from msgspec.structs import replace

from app.learners.base import Learner
from app.learners.fields import Field, change_text
from app.learners.scales import LinearScale, LogScale
from app.learners.table import LEARNERS
from app.state.document import Lane


@pytest.mark.parametrize("name", LEARNERS)
def test_each_parameter_has_a_field(name: str) -> None:
    learner, settings = LEARNERS[name], Lane(name).settings
    shown = {field.parameter for field in learner.fields}
    assert shown == {field.name for field in msgspec.structs.fields(learner.settings)}
    for field in learner.fields:
        value = getattr(settings, field.parameter)
        if field.choices:
            assert value in {choice for _, choice, _ in field.choices}
        elif field.kind not in ("check", "text"):
            limits = field.limits
            assert (
                limits is not None and limits.least <= (value[0] if isinstance(value, tuple) else value) <= limits.most
            )
        assert field.tip or all(note for _, _, note in field.choices)
        assert (field.kind == "text") == (field.formula is not None)
    assert len([field for field in learner.fields if field.primary]) <= 4


def test_fields_of_one_name_share_an_editor() -> None:
    fields = [field for learner in LEARNERS.values() for field in learner.fields]
    assert len({field.editor for field in fields}) == len({field.name for field in fields})


def test_curves_are_those_of_sliders_that_can_be_moved() -> None:
    curves = {name: [each.name for each in learner.curves(learner.settings())] for name, learner in LEARNERS.items()}
    few = {"knn": ["k"], "svm": ["C", "gamma"], "perceptron": [], "pegasos": [], "condensed_knn": []}
    assert few.items() <= curves.items()


def test_limits_and_scale_are_those_of_the_learner() -> None:
    class OtherSettings(msgspec.Struct, frozen=True):
        C: Annotated[float, Meta(ge=0.5, le=8, extra={"steps": (0.5, 8, 0.5)})] = 1.0

    class Other(Learner[OtherSettings]):
        title, short, note, settings = "Other", "Other", "Another learner with a C.", OtherSettings
        fields = (replace(LEARNERS["svm"].field("C"), end=""),)

    own, known = Other().field("C"), LEARNERS["svm"].field("C")
    assert own.scale(50) == LinearScale(0.5, 8, 0.5) and known.scale(50) == LogScale(-4, 6)
    assert own.editor != known.editor, "a slider of its own"
    assert LEARNERS["knn"].field("k").scale(50).high == LEARNERS["knn"].field("k").scale(50).position_of(49)


def test_changes_in_words() -> None:
    svm, perceptron = LEARNERS["svm"].fields, LEARNERS["perceptron"].fields
    report = [
        change_text(LEARNERS["knn"].fields, {"n_neighbors": 7}),
        change_text(svm, {"C": 0.5}),
        change_text(svm, {"multiclass": "one-vs-rest"}),
        change_text(svm, {"hard_margin": False}),
        change_text(perceptron, {"shuffle": True}),
        change_text(perceptron, {"C": 1.0}),
    ]
    assert report == ["Set k to 7", "Set C to 0.5", "Set one-vs-rest", "Set soft margin", "Shuffle the points", ""]


def test_a_real_number_keeps_its_digits_whatever_the_spelling_of_its_limits() -> None:
    class Shares(msgspec.Struct, frozen=True):
        share: Annotated[float, Meta(ge=0, le=1, extra={"steps": (0, 1, 0.1)})] = 0.5
        unlimited: Annotated[float, Meta(ge=0)] = 0.5

    share = Field("share", "slider", "Share", "A share.", settings=Shares)
    assert not share.is_whole and share.number(0.5) == "0.5", "no field for whole numbers, which would show 0"
    with pytest.raises(AssertionError, match="The setting unlimited needs both limits"):
        assert Field("unlimited", "number", "Unlimited", "No largest value.", settings=Shares).limits
