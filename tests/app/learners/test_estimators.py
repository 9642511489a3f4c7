"""The learners of the lanes: the estimator of a lane, pictures of its models, and the sentences about its proofs."""

from __future__ import annotations

import math
import pickle
from typing import Any, get_args, get_type_hints

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

import solver
from app.core.points import Points
from app.engine.export_surface import enlarge
from app.engine.frames import AnyCertificate, Frame, Phase, Picture
from app.engine.shading import FULL_VALUE, Shades
from app.engine.surface_values import UNKNOWN, pair_source
from app.learners.estimators import ESTIMATORS
from app.learners.svm import TRAINERS as SVM_TRAINERS
from app.learners.table import LEARNERS, TRAINERS
from app.scene import text
from app.scene.compose import fields_of
from app.state.document import Document, GeneratorSettings, Lane, PegasosSettings, PerceptronSettings, SvmSettings
from solver import (
    SVC,
    Certificate,
    CondensedNearestNeighbour,
    DualAscentSVC,
    EditedNearestNeighbours,
    Grid,
    OnlineSVC,
    PegasosCertificate,
    PegasosClassifier,
    Perceptron,
    PerceptronCertificate,
    RepeatedEditedNearestNeighbours,
    Status,
)
from solver.kernels.pixels import LEVELS
from tests.copies import replace
from tests.stepped import run

Array = NDArray[np.float64]
KINDS = {
    "smo": SVC,
    "lasvm": OnlineSVC,
    "dual-ascent": DualAscentSVC,
    "perceptron": Perceptron,
    "pegasos": PegasosClassifier,
    "condensed_knn": CondensedNearestNeighbour,
    "edited_knn": RepeatedEditedNearestNeighbours,
}
#: Trainers whose models have an f.
WITH_F = [name for name, trainer in TRAINERS.items() if trainer.has_f]
TWO = GeneratorSettings(name="moons", count=30).points()
THREE = GeneratorSettings(name="blobs", count=20, n_classes=3).points()
GRID = Grid(-2, 2, -1.5, 1.5, 16, 12)
SHADES = Shades((255, 255, 255), ((0, 0, 0),) * 8, (9, 9, 9))


def lane_of(learner: str, **svm: Any) -> Lane:
    if learner in SVM_TRAINERS:
        return Lane("svm", svm=SvmSettings(trainer=learner, **svm))
    return Lane(learner)  # type: ignore[arg-type]


def trained(lane: Lane, points: Points, steps: int | None = None) -> Any:
    source = lane.estimator()
    trainer = source.prepare(points.xy, points.labels)
    if steps is None:
        run(trainer)
    else:
        trainer.step(steps)
    return source.snapshot_model(trainer.snapshot())


# -- the table and the estimators --------------------------------------------------------------------------------------


def test_the_table_is_that_of_the_document() -> None:
    own = {name for name, learner in LEARNERS.items() if name in learner.trainers}
    assert set(SVM_TRAINERS) | own == set(TRAINERS)
    differ = set(KINDS) ^ set(TRAINERS)
    assert not differ, f"KINDS in {__name__} and TRAINERS of app/learners/table.py differ by {sorted(differ)}."
    assert set(get_args(get_type_hints(SvmSettings)["trainer"])) == set(SVM_TRAINERS)
    for name, trainer in TRAINERS.items():
        lane = lane_of(name)
        assert lane.learner == name and lane.trainer is trainer
        assert trainer.title and trainer.note.endswith(".") and trainer.formula
        assert fields_of(lane, [0, 1]) >= {"speed"}
        assert trainer.has_multipliers == hasattr(lane.estimator(), "C")
    assert Lane("knn").learner == "" and Lane("knn").trainer is None


def test_each_classifier_of_the_package_that_trains_in_steps_is_that_of_a_trainer() -> None:
    public = [getattr(solver, name) for name in solver.__all__]
    stepping = {kind for kind in public if isinstance(kind, type) and hasattr(kind, "prepare")}
    once = {EditedNearestNeighbours}  # a setting of the trainer of the repeated rule
    differ = (stepping - once) ^ set(KINDS.values())
    assert not differ, f"No trainer has these, or `solver` does not name them: {differ}."


@pytest.mark.parametrize("learner", TRAINERS)
def test_the_estimator_of_a_lane(learner: str) -> None:
    assert type(lane_of(learner).estimator()) is KINDS[learner]


@pytest.mark.parametrize("learner", WITH_F)
def test_the_problems_of_a_lane(learner: str) -> None:
    assert [pair.negative for pair in trained(lane_of(learner), THREE, 3).pairs_] == (
        [1, 2, 2] if learner in SVM_TRAINERS else [-1, -1, -1]
    )


def test_each_setting_reaches_the_estimator() -> None:
    own = (1.0, 2.0, 3.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    svm = SvmSettings(
        "poly",
        2.5,
        gamma=0.5,
        degree=2,
        coef0=0.25,
        tol=1e-4,
        selection="platt",
        multiclass="one-vs-rest",
        class_weight="own",
        own_weights=own,
        partner="first-order",
        n_epochs=4,
        finish=False,
        step_size="constant",
        fit_intercept=False,
    )
    common = {
        "kernel": "poly",
        "C": 2.5,
        "gamma": 0.5,
        "degree": 2,
        "coef0": 0.25,
        "tol": 1e-4,
        "max_iter": -1,
        "multiclass": "one-vs-rest",
        "class_weight": dict(enumerate(own)),
    }
    expected: dict[str, dict[str, Any]] = {
        "smo": {"selection": "platt", "random_state": 0},
        "lasvm": {"selection": "first-order", "n_epochs": 4, "finish": False, "shuffle": True, "random_state": 0},
        "dual-ascent": {"fit_intercept": False, "step_size": "constant"},
    }
    for name, extra in expected.items():
        got = Lane("svm", svm=msgspec.structs.replace(svm, trainer=name)).estimator().get_params()
        assert got.items() >= (common | extra).items()
    perceptron = Lane("perceptron", perceptron=PerceptronSettings(False, False, 3, 17, 5))
    assert perceptron.estimator().get_params() == {
        "fit_intercept": False,
        "max_iter": 17,
        "shuffle": False,
        "tol": None,
        "random_state": 3,
    }
    got = Lane("pegasos", pegasos=PegasosSettings(0.5, 1234, 9)).estimator().get_params()
    assert (got["alpha"], got["n_iter"], got["random_state"]) == (0.5, 1234, 9)
    assert Lane("svm", svm=SvmSettings(hard_margin=True)).estimator().get_params()["C"] == math.inf
    balanced = Lane("svm", svm=SvmSettings(class_weight="balanced")).estimator()
    assert balanced.get_params()["class_weight"] == "balanced"


def refused(lane: Lane) -> str:
    return lane.family.refusal(lane.settings)


def test_what_does_not_exist_is_refused_in_a_sentence() -> None:
    for name in ("lasvm", "dual-ascent"):
        sentence = refused(lane_of(name, hard_margin=True))
        assert sentence.startswith(TRAINERS[name].title) and "choose a finite C" in sentence
        with pytest.raises(ValueError, match="no hard margin"):
            lane_of(name, hard_margin=True).estimator()
    assert "not positive semidefinite" in refused(lane_of("smo", hard_margin=True, kernel="sigmoid"))
    assert refused(lane_of("smo", hard_margin=True)) == refused(lane_of("lasvm", kernel="sigmoid")) == ""
    hidden = Lane("perceptron", svm=SvmSettings(hard_margin=True, trainer="lasvm"))
    assert refused(hidden) == "", "settings of a classifier that was not chosen"
    assert "kNN" in refused(Lane("knn"))


def test_a_training_goes_on_while_what_it_depends_on_stays() -> None:
    lane = Lane("perceptron")
    orders = msgspec.structs.replace(lane, perceptron=PerceptronSettings(orders=20), pair=(1, 2))
    assert lane.training_key == orders.training_key
    for other in (
        Lane("perceptron", perceptron=PerceptronSettings(random_state=1)),
        Lane("pegasos"),
        Lane("svm"),
        Lane("svm", svm=SvmSettings(trainer="lasvm")),
        Lane("svm", svm=SvmSettings(C=2.0)),
    ):
        assert other.training_key != lane.training_key
    assert Lane("svm").training_key == Lane("svm", perceptron=PerceptronSettings(max_iter=3)).training_key


# -- pictures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("points", [TWO, THREE], ids=["two classes", "three"])
@pytest.mark.parametrize("learner", WITH_F)
def test_each_pixel_is_what_the_model_predicts_there(learner: str, points: Points) -> None:
    lane = lane_of(learner)
    for steps in (0, 2, None):
        model = trained(lane, points, steps)
        values = pair_source(model, lane).on(GRID.xs)(GRID.ys)
        xy = np.array([[x, y] for y in GRID.ys for x in GRID.xs])
        predicted = model.predict(xy).reshape(12, 16)
        classes, tie, shade = values.pixels
        assert (classes == predicted)[~tie].all()
        f = model.pair_decision_function(xy).reshape(12, 16, -1)
        assert values.f == pytest.approx(f[..., 0], abs=1e-10)
        if learner not in SVM_TRAINERS or points is TWO:  # one-vs-one votes have no ties here
            assert tie.all() == (not f.any()) and (f.any() or steps != 2)
        if learner == "perceptron":
            assert (shade == round(UNKNOWN * (LEVELS - 1))).all() and values.margins == ()
        else:
            assert values.margins == (-1.0, 1.0)
            if len(model.pairs_) == 1:
                sureness = np.minimum(np.abs(f[..., 0]) / FULL_VALUE, 1.0)
                assert shade / (LEVELS - 1) == pytest.approx(sureness, abs=0.5001 / (LEVELS - 1))


def test_an_enlarged_picture_of_a_perceptron_has_no_margins() -> None:
    for learner, some in (("perceptron", False), ("pegasos", True)):
        lane = lane_of(learner)
        frame = Frame(1, 0, TWO, lane, Phase.DONE, model=trained(lane, TWO))
        got: list[Picture | str] = []
        list(enlarge(frame, Grid(-2, 2, -2, 2, 60, 60), SHADES, got.append, lambda: False))
        picture = got[0]
        assert isinstance(picture, Picture)
        assert len(picture.boundary) and bool(len(picture.margins)) == some


# -- words -------------------------------------------------------------------------------------------------------------


def perceptron_proof(status: Status, **changes: Any) -> PerceptronCertificate:
    return replace(PerceptronCertificate(status, 3, 0.1, 42, 310.7, 5), **changes)


def pegasos_proof(status: Status, **changes: Any) -> PegasosCertificate:
    return replace(PegasosCertificate(status, 0.25, 0.248, 0.008, 7, 100_000), **changes)


def report(lane: Lane, *certificates: AnyCertificate) -> str:
    return lane.family.verdict(certificates, lane.settings).text


def test_the_verdict_on_a_perceptron_at_its_end() -> None:
    lane, done = Lane("perceptron"), perceptron_proof(Status.OPTIMAL, n_wrong=0)
    assert report(lane, done) == (
        "No mistakes left: this line separates the classes (42 mistakes made, at most (R² + 1)/γ² = 310 were possible)"
    )
    through = Lane("perceptron", perceptron=PerceptronSettings(fit_intercept=False))
    assert "R²/γ² = 310" in report(through, replace(done, mistakes=1)) and "1 mistake made" in report(
        through, replace(done, mistakes=1)
    )
    assert report(lane, done, done) == (
        "No mistakes left: each line separates its class from the rest (84 mistakes made, at most 621 in all were"
        " possible)"
    )
    stopped = perceptron_proof(Status.STOPPED_EARLY, mistake_bound=math.inf)
    assert report(lane, stopped) == "Still making mistakes after 5 passes: the classes may not be separable by a line"
    assert report(lane, done, stopped) == report(lane, stopped)
    early = perceptron_proof(Status.STOPPED_EARLY, n_epochs=1)
    assert report(lane, early).startswith("Stopped after 1 pass, too early: the classes are separable")
    for proofs in ((done,), (done, stopped), (early,), (stopped,)):
        assert lane.family.verdict(proofs, lane.settings).certified == (proofs == (done,))
        assert "ptimal" not in report(lane, *proofs), "a line that separates is not the best one"
    assert lane.family.verdict((done,), lane.settings).badge == "separated: after 42 mistakes (theory: at most 310)"
    assert lane.family.verdict((stopped,), lane.settings).badge == "mistakes left: after 5 passes"
    assert lane.family.so_far((stopped, done), lane.settings) == "3 points on the wrong side"
    assert lane.family.numbers((done,), lane.settings) == ["42 mistakes", "at most 310 are possible", "5 passes"]
    assert lane.family.numbers((done, stopped), lane.settings) == [
        "84 mistakes in 2 problems",
        "no bound on the mistakes",
        "5 passes",
    ]


def test_the_verdict_on_pegasos_at_its_end() -> None:
    lane, good = Lane("pegasos"), pegasos_proof(Status.OPTIMAL)
    assert (
        report(lane, good)
        == "At most 0.8 % from optimal: the averaged line is that close to the best through the origin"
    )
    poor = pegasos_proof(Status.STOPPED_EARLY, gap=0.12)
    assert report(lane, poor) == "All 100\u202f000 steps made: at most 12.0 % from optimal; more steps come closer"
    assert (
        report(lane, good, poor) == report(lane, poor)
        and not lane.family.verdict((good, poor), lane.settings).certified
    )
    assert lane.family.verdict((good, poor), lane.settings).badge == "stopped early: at most 12.0 % from optimal"
    assert lane.family.verdict((good,), lane.settings).badge == "near optimal: at most 0.8 % from optimal"
    assert lane.family.so_far((good, poor), lane.settings) == "at most 12.0 % from optimal"
    first = pegasos_proof(Status.RUNNING, gap=math.nan, primal=math.inf)
    assert lane.family.so_far((first,), lane.settings) == "before the first step"
    assert lane.family.numbers((good,), lane.settings) == [
        "100\u202f000 steps",
        "gap 0.8 %",
        "inside the margin or wrong: 7 points",
    ]
    assert "gap unknown" in lane.family.numbers((good, first), lane.settings)


def test_the_verdict_on_the_other_trainers_of_an_svm() -> None:
    proof = Certificate(Status.STOPPED_EARLY, 5e-2, 1.0, 1.1, 0.09, 3, 4, 123, 1e-7)
    online = lane_of("lasvm", finish=False, n_epochs=2)
    assert report(online, proof) == "Over after 2 passes, without FINISH: not optimal yet"
    assert report(lane_of("lasvm"), proof) == "Stopped early after 123 steps: not optimal yet"
    assert "KKT violation 0.05 among the points kept" in online.family.numbers((proof,), online.settings)
    best = replace(proof, status=Status.OPTIMAL)
    assert "KKT violation 0.05" in online.family.numbers((best,), online.settings)  # by then it is known for all points
    assert report(lane_of("dual-ascent"), best) == report(lane_of("smo"), best) == "Optimal to 1e-3"
    without = lane_of("dual-ascent", fit_intercept=False)
    assert report(without, best) == "Optimal to 1e-3 of all f without intercept"
    assert report(msgspec.structs.replace(without, svm=SvmSettings(fit_intercept=False)), best) == "Optimal to 1e-3"


@pytest.mark.parametrize("learner", TRAINERS)
def test_the_words_around_a_picture(learner: str) -> None:
    lane = lane_of(learner)
    model = trained(lane, TWO)
    frame = Frame(1, 0, TWO, lane, Phase.DONE, model=model, certificates=tuple(model.certificates_), accuracy=0.9)
    headline = text.headline(frame, lane)
    assert headline == report(lane, *model.certificates_)
    assert ("Optimal" in headline) == (learner in SVM_TRAINERS)
    assert "training accuracy 90.0 %" in text.details(frame)
    paused = replace(frame, phase=Phase.PAUSED)
    assert text.headline(paused, lane).startswith("Paused")
    assert frame.certificate is model.certificates_[0]
    one = text.empty_sentence(lane, [4], 2)
    assert text.waits_for_a_class(lane, [4]) == lane.has_f
    assert not lane.has_f or ("two classes" in one and "class 5" in one)
    assert not text.waits_for_a_class(lane, [1, 4]) and not text.waits_for_a_class(Lane("knn"), [4])


def test_names_formulas_and_notes() -> None:
    assert Lane("perceptron").title == "Perceptron, random orders (seed 0)"
    plain = Lane("perceptron", perceptron=PerceptronSettings(fit_intercept=False, shuffle=False))
    assert plain.title == "Perceptron, order of the points, no intercept"
    assert Lane("pegasos").title == "Pegasos, λ = 0.01, 100\u202f000 steps"
    assert lane_of("lasvm").title.endswith(", LASVM")
    without = lane_of("dual-ascent", fit_intercept=False)
    assert without.title.endswith(", Dual ascent, no intercept")
    for name in ("perceptron", "pegasos", "condensed_knn", "edited_knn"):
        assert Lane(name).family.formula(Lane(name).settings) == TRAINERS[name].formula  # type: ignore[arg-type]
    plains = [
        family.remark(family.settings()) for family in map(LEARNERS.__getitem__, ("pegasos", "perceptron", "knn"))
    ]
    assert ["origin" in remark for remark in plains] == [True, False, False] and plains[2] == ""
    assert "origin" in plain.family.remark(plain.settings)
    assert lane_of("lasvm").family.formula(lane_of("lasvm").settings).startswith("K(x, z)")


def test_the_gravest_certificate_of_a_frame() -> None:
    def worst(*certificates: AnyCertificate, classifier: str = "perceptron") -> AnyCertificate | None:
        return Frame(1, 0, TWO, Lane(classifier), Phase.DONE, certificates=certificates).certificate

    done, stopped = perceptron_proof(Status.OPTIMAL), perceptron_proof(Status.STOPPED_EARLY)
    assert worst(done, stopped) is worst(stopped, done) is stopped
    few = replace(stopped, n_wrong=1)
    assert worst(few, stopped) is stopped
    wide = pegasos_proof(Status.RUNNING, gap=0.5)
    assert worst(pegasos_proof(Status.RUNNING), wide, classifier="pegasos") is wide


def test_documents_with_each_learner_have_their_fields() -> None:
    shown = {name: fields_of(lane_of(name), [0, 1]) - {"shading", "standardise"} for name in TRAINERS}
    svm = {"kernel", "gamma", "C", "hard_margin", "tol", "trainer", "class_weight", "speed"}
    assert shown["smo"] == svm | {"rule"}
    assert shown["lasvm"] == svm | {"partner", "epochs", "finish"}
    assert shown["dual-ascent"] == svm | {"step_size", "intercept"}
    assert shown["perceptron"] == {"speed", "intercept", "shuffle", "seed", "passes", "orders"}
    assert shown["pegasos"] == {"speed", "lam", "steps", "seed"}
    for name in ("pegasos", "perceptron"):
        assert fields_of(lane_of(name), [0, 1, 2]) - shown[name] == {"pair", "shading", "standardise"}
    assert fields_of(lane_of("lasvm"), [0, 1, 2]) - shown["lasvm"] == {"pair", "multiclass", "shading", "standardise"}
    assert Document().lanes[1].learner == "smo"


@pytest.mark.parametrize("name", ESTIMATORS)
def test_settings_can_be_sent_to_a_process_of_a_cluster(name: str) -> None:
    settings = LEARNERS[name].settings()
    assert pickle.loads(pickle.dumps(settings)) == settings
