"""The pictures of a film, and the sentences about impossible films."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from app.core.points import Points
from app.features.film import plan
from app.features.film.plan import LiftFilm, SweepFilm, TrainingFilm, TurnFilm
from app.features.relief import text
from app.features.relief.geometry import Camera
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings
from app.state.split import NO_SPLIT

POINTS = GeneratorSettings("moons", 20).points()
DOCUMENT = Document(points=POINTS, lanes=(Lane("knn"), Lane("svm"), Lane("difference")), shown=3)

WRONG: dict[str, tuple[Document, plan.Content, str]] = {
    "a lane that does not train": (DOCUMENT, TrainingFilm(0), "does not train; its k can be swept"),
    "a difference": (DOCUMENT, TrainingFilm(2), "does not train."),
    "no such lane": (DOCUMENT, TrainingFilm(3), "no classifier 4: there are only 3"),
    "a lane below the first": (DOCUMENT, TrainingFilm(-1), "no classifier 0"),
    "a lane out of sight": (replace(DOCUMENT, shown=1), TrainingFilm(1), "there is only 1 classifier"),
    "no points": (replace(DOCUMENT, points=Points()), TrainingFilm(1), "there are no points"),
    "no points to sweep over": (replace(DOCUMENT, points=Points()), SweepFilm(0, "k", 1, 1), "there are no points"),
    "one class": (replace(DOCUMENT, points=Points.of([[0, 0], [1, 1]], [3, 3])), TrainingFilm(1), "of one class"),
    "no such slider": (DOCUMENT, SweepFilm(0, "C", 1, 2), "has no C to be swept; it has k"),
    "no slider at all": (DOCUMENT, SweepFilm(2, "C", 1, 2), "nor anything else"),
    "a slider at its end": (
        replace(DOCUMENT, lanes=(Lane("svm", svm=SvmSettings(hard_margin=True)),), shown=1),
        SweepFilm(0, "C", 1, 2),
        "has no C to be swept; it has gamma",
    ),
    "beyond the slider": (DOCUMENT, SweepFilm(0, "k", 1, 400), "400 is not between"),
    "below the slider": (DOCUMENT, SweepFilm(1, "gamma", 0, 1), "0 is not between"),
    "no number": (DOCUMENT, SweepFilm(1, "C", float("nan"), 1), "nan is not between"),
    "too many": (DOCUMENT, TrainingFilm(1, pictures=1001), "1 to 1\u202f000 pictures"),
    "none": (DOCUMENT, SweepFilm(1, "C", 1, 2, 0), "1 to 1\u202f000 pictures"),
    "a relief of votes": (DOCUMENT, TrainingFilm(0, relief=True), text.without(Lane("knn"))),
    "a relief of votes, swept": (DOCUMENT, SweepFilm(0, "k", 1, 9, relief=True), text.without(Lane("knn"))),
    "a turn of votes": (DOCUMENT, TurnFilm(0), text.without(Lane("knn"))),
    "a relief of a difference": (DOCUMENT, TurnFilm(2), "choose one of the two"),
    "a lift without a map": (DOCUMENT, LiftFilm(1), text.NO_MAP),
    "a turn of too many": (DOCUMENT, TurnFilm(1, 1001), "1 to 1\u202f000 pictures"),
    "back": (DOCUMENT, TrainingFilm(1, 9, 3), "not from step 9 to step 3"),
    "before the start": (DOCUMENT, TrainingFilm(1, -2), "not from step -2 to the end"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_film_that_cannot_be_is_one_sentence(name: str) -> None:
    document, content, report = WRONG[name]
    with pytest.raises(ValueError) as error:
        plan.check(document, content)
    sentence = str(error.value)
    assert report in sentence and sentence.endswith(".") and "\n" not in sentence


def test_what_can_be_is_nothing_to_speak_of() -> None:
    for content in (
        TrainingFilm(1),
        TrainingFilm(1, 3, 3),
        SweepFilm(0, "k", 39, 1),
        SweepFilm(1, "C", 0.1, 100),
        SweepFilm(1, "gamma", 1, 1),
    ):
        plan.check(DOCUMENT, content)
    assert DOCUMENT.split == NO_SPLIT


def test_sizes_names_and_rates() -> None:
    plan.check_size(1000, 1280, 720)
    for wrong, report in (((1001, 300, 300), "too many"), ((1000, 4000, 3000), "too large"), ((1, 100, 300), "200 to")):
        with pytest.raises(ValueError, match=report):
            plan.check_size(*wrong)
    assert [plan.check_kind(Path(name)) for name in ("a.gif", "A.WEBP", "b.c.png")] == ["gif", "webp", "png"]
    for name in ("a.mp4", "a", "gif"):
        with pytest.raises(ValueError, match="must end in"):
            plan.check_kind(Path(name))
    assert plan.rates("gif") == (1, 2, 4, 5, 10, 20, 25, 50) and {12, 30, 60} < set(plan.rates("png"))
    with pytest.raises(ValueError, match="30 is not among"):
        plan.check_rate("gif", 30)


@pytest.mark.parametrize("pictures", [1, 2, 7, 1000])
def test_a_sweep_goes_evenly_over_its_slider(pictures: int) -> None:
    gammas = SweepFilm(1, "gamma", 0.01, 100, pictures).values(DOCUMENT)
    assert len(gammas) == min(pictures, 81) and gammas[0] == 0.01 and (pictures == 1 or gammas[-1] == 100)
    ratios = np.diff(np.log10(gammas))
    assert np.ptp(ratios) < 0.06 if len(ratios) else True
    assert SweepFilm(0, "k", 5, 1, pictures).values(DOCUMENT) == (5, 4, 3, 2, 1)[:: 1 if pictures > 2 else 4][:pictures]
    lane = plan.document_with(DOCUMENT, 1, "gamma", 3.5).lanes[1]
    assert lane == msgspec.structs.replace(DOCUMENT.lanes[1], svm=SvmSettings(gamma=3.5))


def test_samples_have_both_ends_and_neighbours() -> None:
    for n in (1, 2, 3, 5, 9, 60, 1000):
        chosen = plan.sampled(n)
        assert chosen[0] == 0 and chosen[-1] == n - 1 and len(chosen) <= 10 and list(chosen) == sorted(set(chosen))
        assert n < 3 or sum(number - 1 in chosen for number in chosen) >= min(n - 1, 4)


def test_what_the_command_line_means() -> None:
    assert plan.content_of(DOCUMENT, None, None, None, 60) == TrainingFilm(1, 0, None, 60)
    assert plan.content_of(DOCUMENT, 1, (2, 9), None, 0) == TrainingFilm(0, 2, 9, 1000, True)
    assert plan.content_of(DOCUMENT, None, None, ("k", 1, 9), 5) == SweepFilm(0, "k", 1, 9, 5)
    with pytest.raises(ValueError, match="No classifier on screen has a lam"):
        plan.content_of(DOCUMENT, None, None, ("lam", 1, 9), 5)
    with pytest.raises(ValueError, match="No classifier on screen trains"):
        plan.content_of(replace(DOCUMENT, shown=1), None, None, None, 5)
    with pytest.raises(ValueError, match="A sweep has no steps"):
        plan.content_of(DOCUMENT, None, (0, 1), ("k", 1, 9), 5)


def test_the_relief_on_the_command_line() -> None:
    squares = replace(DOCUMENT, lanes=(Lane("svm"), Lane("svm", svm=SvmSettings("poly", degree=2))), shown=2)
    assert plan.content_of(DOCUMENT, None, (2, 9), None, 5, "relief") == TrainingFilm(1, 2, 9, 5, relief=True)
    assert plan.content_of(DOCUMENT, None, None, ("k", 1, 9), 5, "relief") == SweepFilm(0, "k", 1, 9, 5, True)
    assert plan.content_of(squares, None, None, None, 5, "turn") == TurnFilm(0, 5)
    assert plan.content_of(squares, None, None, None, 5, "lift") == LiftFilm(1, 5)
    for lane in (SvmSettings("poly", degree=3), SvmSettings("poly", degree=2, coef0=-1.0), SvmSettings("rbf")):
        other = replace(squares, lanes=(Lane("svm", svm=lane),), shown=1)
        assert plan.can_film(other, 0)[-1] == "turn"
        with pytest.raises(ValueError, match="The map is drawn for the polynomial kernel of degree 2"):
            plan.content_of(other, None, None, None, 5, "lift")
    with pytest.raises(ValueError, match="it counts votes"):
        plan.content_of(replace(DOCUMENT, shown=1), None, None, None, 5, "turn")
    for steps, sweep, pictures in (((0, 1), None, 5), (None, ("C", 1, 9), 5), (None, None, 0)):
        with pytest.raises(ValueError, match="--lift shows one training at its end"):
            plan.content_of(squares, None, steps, sweep, pictures, "lift")


@pytest.mark.parametrize("pictures", [1, 2, 7, 60])
def test_views_go_once_round_or_up_and_back(pictures: int) -> None:
    turned = [view.camera.azimuth for view in TurnFilm(0, pictures).views()]
    assert len(turned) == pictures and turned[0] == Camera().azimuth and all(0 <= each < 360 for each in turned)
    np.testing.assert_allclose(np.diff([*turned, turned[0]]) % 360, 360 / pictures if pictures > 1 else 0)
    lifted = [view.morph for view in LiftFilm(0, pictures).views()]
    assert lifted == lifted[::-1] and lifted[0] == 0 and 0 < len(lifted) <= pictures
    assert pictures < 3 or max(lifted) == lifted[len(lifted) // 2] == 1
