"""Plans: each invalid field has its sentence and no study is made; else the study of the form."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from app.features.study.map_reading import value_text
from app.features.study.model import NOTES, axis_kinds
from app.features.study.planning import (
    KINDS,
    AxisPlan,
    StudyPlan,
    axis_plan,
    plan_of,
    planned,
    seconds_of,
    titles,
    trainings_of,
)
from app.learners.table import LEARNERS
from app.state.document import Document, Lane
from tests.app.features.study.studies import document_of

C = AxisPlan("C", "0.1", "10", "3", True)
GAMMA = AxisPlan("gamma", "1", "3", "3")
PLAN = StudyPlan(axes=(C, GAMMA))


def test_a_plan_becomes_its_study() -> None:
    document = document_of()
    made = planned(PLAN, document.lanes[0], document)
    assert made.study is not None and not made.faults and made.given is not None
    assert [axis.values for axis in made.study.axes] == [(0.1, 1.0, 10.0), (1.0, 2.0, 3.0)]
    assert made.study.digest and made.study.folds == 5 and made.study.generator is None
    assert made.trainings == trainings_of(made.study) == 45 and made.seconds > 0


@pytest.mark.parametrize(
    ("changes", "field", "part"),
    [
        ({"axes": (replace(C, start="x"), GAMMA)}, "axis0.start", "C from must be a number from 1e-08 to 1e+08; “x”"),
        ({"axes": (replace(C, start="0"), GAMMA)}, "axis0.start", "“0” is not"),
        ({"axes": (replace(C, start="nan"), GAMMA)}, "axis0.start", "“nan”"),
        ({"axes": (replace(C, stop="1e99"), GAMMA)}, "axis0.stop", "C to must be"),
        ({"axes": (replace(C, stop="0.1"), GAMMA)}, "axis0.stop", "above 0.1"),
        ({"axes": (C, replace(GAMMA, count="1"))}, "axis1.count", "2 to 100 values; “1”"),
        ({"axes": (C, replace(GAMMA, count="2.5"))}, "axis1.count", "“2.5”"),
        ({"axes": (C, replace(GAMMA, count=""))}, "axis1.count", "“”"),
        ({"axes": (replace(C, start="1", stop="1.01", count="5"), GAMMA)}, "axis0.count", "only 2 of 5 values"),
        ({"axes": (C, AxisPlan("degree", "2.5", "5", "3"))}, "axis1.start", "a whole number from 1 to 9"),
        ({"axes": (C, replace(C, start="1"))}, "axis1.name", "another parameter"),
        ({"axes": (C, AxisPlan("k", "1", "5", "3"))}, "axis1.name", "does not have"),
        ({"axes": (C, AxisPlan("n", "5", "30", "3", True))}, "axis1.stop", "class has only 20 points"),
        ({"axes": (AxisPlan("coef0", "0", "1", "3", True), C)}, "axis0.start", "above 0"),
        ({"folds": "1"}, "folds", "is 1, which is no cross-validation"),
        ({"folds": "-1"}, "folds", "from 0 to 100"),
        ({"folds": "0"}, "folds", "keeps no test points back"),
        ({"folds": "41"}, "folds", "only 40 points"),
        ({"repetitions": "0"}, "repetitions", "from 1 to 1"),
        ({"repetitions": "two"}, "repetitions", "“two”"),
        ({"generated": True, "draws": "1e9"}, "draws", "“1e9”"),
        ({"generated": True, "folds": "0", "test": "0"}, "test", "New points must be"),
        ({"repetitions": "1000", "axes": (replace(C, count="50"), GAMMA)}, "", "takes 200"),
    ],
)
def test_a_fault_is_reported_at_its_field(changes: dict[str, Any], field: str, part: str) -> None:
    document = document_of()
    made = planned(replace(PLAN, **changes), document.lanes[0], document)
    assert made.study is None and field in made.faults, made.faults
    assert part in made.faults[field] and made.faults[field].endswith("."), made.faults


def test_without_points_there_is_nothing_to_learn_from() -> None:
    lane = Lane("svm")
    assert "two classes" in planned(PLAN, lane, Document()).faults["data"]
    assert planned(replace(PLAN, generated=True, folds="0"), lane, Document()).study is not None


@pytest.mark.parametrize("classifier", [name for name, row in LEARNERS.items() if not row.compares])
@pytest.mark.parametrize("kind", KINDS)
def test_the_initial_form_is_valid(kind: Any, classifier: str) -> None:
    document = document_of()
    lane = Lane(classifier)
    made = planned(plan_of(kind, lane, document), lane, document)
    assert made.study is not None, made.faults
    assert made.trainings == trainings_of(made.study) and made.study.kind == KINDS[kind].base.kind
    for generated in (False, True):
        for name in titles(lane, generated):
            kind = axis_kinds(classifier)[name]
            assert kind.choices or kind.limits[0] < kind.limits[1]


def test_the_lecture_notes_are_those_of_the_command_line() -> None:
    document = document_of()
    made = planned(plan_of("notes", document.lanes[0], document), document.lanes[0], document)
    assert made.study == NOTES and made.trainings == trainings_of(NOTES) == 990_000


def test_the_cost_grows_with_points_and_trainings() -> None:
    document = document_of()
    plan = plan_of("learning-curve", document.lanes[0], document)
    seconds = []
    for changes in ({}, {"repetitions": "20"}, {"axes": (AxisPlan("n", "5", "5000", "6", True),)}):
        study = planned(replace(plan, **changes), document.lanes[0], document).study
        assert study is not None
        seconds.append(seconds_of(study, None))
    assert seconds[1] == pytest.approx(2 * seconds[0]) and seconds[2] > 20 * seconds[0]


def test_shares_are_typed_in_per_cent() -> None:
    document = document_of()
    plan = replace(PLAN, generated=True, axes=(C, AxisPlan("flipped", "0 %", "30%", "4")))
    made = planned(plan, document.lanes[0], document)
    assert made.study is not None and [round(value, 12) for value in made.study.axes[1].values] == [0, 0.1, 0.2, 0.3]
    assert [value_text(made.study, 1, value) for value in made.study.axes[1].values] == ["0 %", "10 %", "20 %", "30 %"]
    assert axis_plan("flipped", document.lanes[0], document, True) == AxisPlan("flipped", "0 %", "30 %", "7")
    faults = planned(replace(plan, axes=(C, AxisPlan("flipped", "0", "60", "3"))), document.lanes[0], document).faults
    assert faults["axis1.stop"] == "Flipped labels to must be a number from 0 % to 50 %; “60” is not."


def test_both_classifiers_standardise_or_neither() -> None:
    document = document_of()
    lane = replace(document.lanes[0], standardise=True)
    refused = planned(PLAN, lane, document, Lane("knn"))
    assert refused.study is None and "Both classifiers must standardise" in refused.faults[""]
    made = planned(PLAN, lane, document)
    assert made.study is not None and made.study.lane.standardises
