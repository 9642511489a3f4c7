"""Run scikit-learn's own tests of SVC, KNeighborsClassifier and Perceptron on the classes of `solver`.

``python -m tests.solver.run_sklearn_tests``; further arguments go to pytest.  The tests are those installed with
scikit-learn.  Before they are imported, its three classes are replaced by ours, unchanged; only kNN gets a mixin of
scikit-learn that some tests require, and that has no effect.
"""

from __future__ import annotations

import os
import sys
from functools import wraps
from typing import Any

import pytest
from sklearn.neighbors._base import KNeighborsMixin

import solver

MODULES = ("svm.tests.test_svm", "neighbors.tests.test_neighbors", "linear_model.tests.test_perceptron")
#: Reasons.
PARAMETER = "a parameter, or a value of one, that we do not have"
SPARSE = "sparse input"
PRIVATE = "private attributes of scikit-learn's class"
WORDS = "the exact text of a message; ours says the same in other words"
INPUT = "input that we do not take"
TOLERANCE = "six digits of two optima, each known to tol=1e-3; it passes with a smaller tol"
#: Tests left out, with the reason: module, and the test's name, with an asterisk for any text.  Each must fail with
#: ours: one that passes is reported as a failure.
LEFT_OUT: dict[tuple[str, str], str] = {
    ("svm", "test_probability[*"): f"{PARAMETER}: probability",
    ("svm", "test_hasattr_predict_proba[*"): f"{PARAMETER}: probability",
    ("svm", "test_probability_raises_futurewarning[True-SVC-SVC]"): f"{PARAMETER}: probability",
    ("svm", "test_probability_raises_futurewarning[False-SVC-SVC]"): f"{PARAMETER}: probability",
    ("svm", "test_svc_nusvc_probA_probB_deprecated[SVC]"): f"{PARAMETER}: probability",
    ("svm", "test_svc_ovr_tie_breaking[42-SVC]"): "rounding errors in f, which is 0 here and in ours exactly so",
    ("svm", "test_precomputed"): TOLERANCE,
    ("svm", "test_svc_clone_with_callable_kernel"): TOLERANCE,
    ("svm", "test_bad_input[*-lil_matrix]"): SPARSE,
    ("svm", "test_bad_input[*-lil_array]"): SPARSE,
    ("svm", "test_negative_weights_svc_leave_two_labels[partial-mask-label-1-SVC]"): f"{PARAMETER}: negative weights",
    ("svm", "test_negative_weight_equal_coeffs[partial-mask-label-1-SVC]"): f"{PARAMETER}: negative weights",
    ("svm", "test_negative_weights_svc_leave_just_one_label[*-SVC]"): f"{PARAMETER}: negative weights",
    (
        "svm",
        "test_negative_sample_weights_mask_all_samples[weights-are-negative-SVC]",
    ): f"{PARAMETER}: negative weights",
    ("svm", "test_svc_nonfinite_params[*"): WORDS,
    ("svm", "test_libsvm_convergence_warnings[*"): f"{WORDS}; and ours has converged after the 2 updates allowed",
    ("svm", "test_sparse_precomputed[*"): SPARSE,
    ("svm", "test_tweak_params"): PRIVATE,
    ("svm", "test_gamma_scale"): PRIVATE,
    ("svm", "test_svc_raises_error_internal_representation"): PRIVATE,
    ("svm", "test_custom_kernel_not_array_input[SVC]"): f"{INPUT}: texts for a callable kernel",
    ("neighbors", "test_precomputed_dense"): f"{PARAMETER}: metric='precomputed'",
    ("neighbors", "test_precomputed_sparse_knn[*"): f"{PARAMETER}: metric='precomputed'",
    ("neighbors", "test_precomputed_cross_validation"): f"{PARAMETER}: metric='precomputed'",
    ("neighbors", "test_kneighbors_classifier[float64-_weight_func-*"): f"{PARAMETER}: a callable for weights",
    ("neighbors", "test_kneighbors_classifier[float32-_weight_func-*"): f"{PARAMETER}: a callable for weights",
    ("neighbors", "test_KNeighborsClassifier_raise_on_all_zero_weights"): f"{PARAMETER}: a callable for weights",
    ("neighbors", "test_KNeighborsClassifier_multioutput"): f"{INPUT}: several labels for each point",
    ("neighbors", "test_neighbors_minkowski_semimetric_algo_warn[*-KNeighborsClassifier]"): f"{PARAMETER}: p below 1",
    ("neighbors", "test_neighbors_minkowski_semimetric_algo_error[*-KNeighborsClassifier]"): f"{PARAMETER}: p below 1",
    ("neighbors", "test_metric_params_interface"): f"{PARAMETER}: metric_params",
    ("neighbors", "test_nan_euclidean_support[KNeighborsClassifier-*"): f"{PARAMETER}: metric='nan_euclidean'",
    ("neighbors", "test_unsupervised_inputs[*-KNeighborsClassifier]"): f"{INPUT}: a search tree in place of points",
    ("neighbors", "test_neighbors_validate_parameters[*-KNeighborsClassifier]"): WORDS,
    ("neighbors", "test_predict_sparse_ball_kd_tree[*"): SPARSE,
    ("linear_model", "test_perceptron_l1_ratio"): f"{PARAMETER}: penalty and l1_ratio",
}


class KNeighborsClassifier(solver.KNeighborsClassifier, KNeighborsMixin):
    """Our kNN, with the mixin that tests require."""


class Replacing:
    """Replace scikit-learn's classes by ours, mark the tests left out, and count the tests of our classes."""

    def __init__(self) -> None:
        self.met: dict[str, bool] = {}
        self.n_passed = 0
        self.expected: set[str] = set()  # tests that are expected to fail
        self.left_out: set[tuple[str, str]] = set()
        self._now = ""

    def replace(self) -> None:
        """Replace the classes, before any test is imported."""
        import sklearn.linear_model
        import sklearn.neighbors
        import sklearn.svm

        for package, ours in (
            (sklearn.svm, solver.SVC),
            (sklearn.neighbors, KNeighborsClassifier),
            (sklearn.linear_model, solver.Perceptron),
        ):
            setattr(package, ours.__name__, ours)
            for name in ("fit", "predict"):
                setattr(ours, name, self._noticed(getattr(ours, name)))

    def _noticed(self, method: Any) -> Any:
        @wraps(method)
        def noticed(*arguments: Any, **named: Any) -> Any:
            self.met[self._now] = True
            return method(*arguments, **named)

        return noticed

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: Any) -> Any:
        """Note which test is running."""
        self._now = item.name
        self.met[item.name] = item.name in self.expected
        return (yield)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count the tests of our classes that pass."""
        self.n_passed += report.when == "call" and report.passed and self.met[self._now]

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Mark the tests left out as expected failures."""
        for item in items:
            module = item.module.__name__.split(".")[1]
            for where, name in LEFT_OUT:
                if where == module and matches(item.name, name):
                    self.left_out.add((where, name))
                    self.expected.add(item.name)
                    item.add_marker(pytest.mark.xfail(strict=True, reason=LEFT_OUT[where, name]))


def matches(name: str, pattern: str) -> bool:
    """Return whether a test's name matches `pattern`, in which an asterisk matches any text."""
    start, star, end = pattern.partition("*")
    return name.startswith(start) and name.endswith(end) if star else name == pattern


def main(arguments: list[str]) -> int:
    """Run the tests and return pytest's exit code."""
    os.environ.setdefault("SKLEARN_RUN_FLOAT32_TESTS", "1")
    plugin = Replacing()
    plugin.replace()
    modules = [f"sklearn.{module}" for module in MODULES]
    options = ["-q", "--tb=short", "-c", "/dev/null", "-p", "no:cacheprovider", "-p", "no:qt", "-p", "no:xdist"]
    code = int(pytest.main(["--pyargs", *modules, *options, "-W", "ignore", *arguments], plugins=[plugin]))
    about = f"{sum(plugin.met.values())} of the {len(plugin.met)} tests that ran are about our classes"
    print(f"{about}; {plugin.n_passed} of them pass.")
    gone = [] if arguments else sorted(LEFT_OUT.keys() - plugin.left_out)
    for where, name in gone:
        print(f"There is no {name} in {where} any more; strike it from the list.")
    return code or int(bool(gone))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
