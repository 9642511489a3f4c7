"""Views of many columns: pair scores and principal components against scikit-learn, and omitted columns."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from app.exchange import pairs
from app.exchange.columns import BadRows, Choice, convert, usable_columns
from app.exchange.components import principal_components
from app.exchange.importing import decode
from app.exchange.table import Column, Table, column_of
from app.files.documents import FileError
from tests.counting import calls_of


def table_of(text: str) -> Table:
    return decode(text.encode(), "drawing.csv", ".csv")


def numbers(values: np.ndarray, labels: np.ndarray | None = None) -> Table:
    """Return a table with columns c0, c1, ... and "class"."""
    columns = [column_of(f"c{k}", column) for k, column in enumerate(np.asarray(values, dtype=float).T)]
    if labels is not None:
        columns.append(column_of("class", np.asarray(labels, dtype=float)))
    return Table("drawing.csv", tuple(columns), np.arange(2, len(values) + 2))


def no_pause() -> None:
    pass


def all_scores(found: pairs.Views) -> dict[tuple[int, int], float | None]:
    return {(each.x, each.y): each.accuracy for each in pairs.score(found, found.pairs, no_pause, 600)}


# -- principal components ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer], ids=lambda load: load.__name__)
def test_components_are_those_of_scikit_learn(load: object) -> None:
    X = load().data
    found, expected = principal_components(X), PCA(2, svd_solver="full").fit(Z := StandardScaler().fit_transform(X))
    assert np.allclose(found.loadings, expected.components_, atol=1e-9)
    assert np.allclose(found.shares, expected.explained_variance_ratio_, atol=1e-12)
    assert np.allclose(found.project(X), expected.transform(Z), atol=1e-9)


def test_components_of_fewer_rows_than_columns() -> None:
    X = np.random.default_rng(0).normal(size=(7, 30))
    found, expected = principal_components(X), PCA(2, svd_solver="full").fit(StandardScaler().fit_transform(X))
    assert np.allclose(found.loadings, expected.components_, atol=1e-9)
    assert np.allclose(found.shares, expected.explained_variance_ratio_, atol=1e-12)


@pytest.mark.parametrize("rows", [[[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]] * 4, [[1.0, 5.0, 3.0], [2.0, 5.0, 3.0]]])
def test_components_of_next_to_nothing(rows: list[list[float]]) -> None:
    found = principal_components(np.array(rows))
    assert np.isfinite(found.project(np.array(rows))).all() and np.allclose(np.linalg.norm(found.loadings, axis=1), 1)
    assert sum(found.shares) == pytest.approx(0.0 if len({tuple(row) for row in rows}) == 1 else 1.0)


def test_huge_and_tiny_units_do_not_overflow() -> None:
    X = load_iris().data
    plain, scaled = principal_components(X), principal_components(X * [1e-200, 1e14, 1.0, 1e8])
    assert np.allclose(plain.loadings, scaled.loadings, atol=1e-9)


def test_the_axes_are_named_by_their_largest_loadings() -> None:
    data = load_iris()
    found = principal_components(data.data)
    first, second = found.axis_names(data.feature_names)
    assert first == "PC 1: 0.58 petal length + 0.56 petal width + …"
    assert second == "PC 2: 0.92 sepal width + 0.38 sepal length + …"
    assert found.share == "95.8 %"
    three, _ = principal_components(data.data[:, [0, 1, 2]]).axis_names(["a", "b", "c"])
    assert three == "PC 1: 0.69 c + 0.63 a − 0.36 b"
    twins, _ = principal_components(data.data[:, [0, 1]]).axis_names(["u (cm)", "u (mm)"])
    assert "u (cm)" in twins and "u (mm)" in twins, "without their units they could not be told apart"
    for name in found.axis_names(["ä" * 60, "b" * 60, "c" * 60, "d" * 60]):
        assert len(name) == 60 and name.endswith("…")


def credit(shares: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of the points whose class leads; 1 / m for a point where m classes tie."""
    leaders = shares == shares.max(axis=1, keepdims=True)
    return float(np.mean(leaders[np.arange(len(labels)), labels] / leaders.sum(axis=1)))


# -- scores of pairs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_iris, load_wine], ids=lambda load: load.__name__)
def test_scores_are_those_of_scikit_learn_with_the_same_folds(load: object) -> None:
    """With a little noise, because scikit-learn decides equal distances by the order of the points."""
    data = load()
    X = data.data[:, :5] + 1e-6 * np.random.default_rng(0).normal(size=data.data[:, :5].shape)
    found = pairs.views(numbers(X, data.target + 1), X.shape[1])
    scores = all_scores(found)
    assert len(scores) == X.shape[1] * (X.shape[1] - 1) // 2
    Z = StandardScaler().fit_transform(X)
    for (x, y), score in scores.items():
        model = KNeighborsClassifier(5).fit(Z[:, [x, y]], data.target)
        assert score == pytest.approx(credit(model.predict_proba(None), data.target), abs=1e-12), (x, y)
    folds = cross_val_predict(KNeighborsClassifier(5), Z[:, :2], data.target, cv=LeaveOneOut(), method="predict_proba")
    assert scores[0, 1] == pytest.approx(credit(folds, data.target), abs=1e-12)


def test_a_missing_cell_leaves_its_row_out_of_its_pairs_only() -> None:
    data = load_iris()
    X = data.data.copy()
    X[::7, 1] = np.nan
    found = pairs.views(numbers(X, data.target + 1), 4)
    scores, whole = all_scores(found), pairs.views(numbers(data.data, data.target + 1), 4)
    assert scores[0, 2] == all_scores(whole)[0, 2]
    rows = np.isfinite(X[:, 1])
    xy, labels = found.points((0, 1))
    assert len(xy) == rows.sum() and (labels == data.target[rows]).all()
    assert np.allclose(xy[:, 0], StandardScaler().fit_transform(X[:, :1])[rows, 0])


def test_the_most_promising_pairs_come_first() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 12))
    X[:, [4, 9]] += 2.0 * labels[:, np.newaxis]
    found = pairs.views(numbers(X, labels + 1), 12)
    assert found.pairs[0] == (4, 9) and len(found.pairs) == 66 == len(set(found.pairs))
    assert all(4 in pair or 9 in pair for pair in found.pairs[:6])
    scores = all_scores(found)
    assert max(scores, key=lambda pair: scores[pair] or 0.0) == (4, 9)


def test_a_slice_of_time_scores_at_least_one_and_can_be_ended() -> None:
    data = load_wine()
    found = pairs.views(numbers(data.data, data.target + 1), 13)
    assert [(each.x, each.y) for each in pairs.score(found, found.pairs[5:], no_pause, 0.0)] == [found.pairs[5]]

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pairs.score(found, found.pairs, stop, 600)
    assert pairs.score(found, (), no_pause, 1.0) == []


def test_many_columns_and_rows_are_bounded() -> None:
    data = load_digits()
    found = pairs.views(numbers(data.data, data.target % 8 + 1), 64)
    assert len(found.columns) == 61 and len(found.pairs) == 780 and len(found.sample) == 500
    assert "Pairs are of the 40 columns that separate the classes best one by one" in found.note
    assert "Set aside: 'c0' (constant), 'c32' (constant), 'c39' (constant)." in found.note
    used = {location for pair in found.pairs for location in pair}
    assert len(used) == 40 and all(x < y for x, y in found.pairs)


def test_without_classes_pairs_are_in_the_order_of_the_columns() -> None:
    X = load_iris().data
    for table, label in ((numbers(X), None), (numbers(X, np.full(150, 3)), 4), (numbers(X, np.arange(150)), 4)):
        found = pairs.views(table, label)
        assert not found.ranked and list(found.pairs) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        assert all(score is None for score in all_scores(found).values())
    assert pairs.views(numbers(X), None).note == "Without a class, pairs are in the order of the columns."


# -- omitted columns, and bad input ---------------------------------------------------------------------------------


def test_omitted_columns_are_reported() -> None:
    table = table_of("id,a,b,c,word,same,kind\n1,1.5,2,9,q,4,u\n2,3,4,8,r,4,v\n3,5,6,7,s,4,u\n")
    columns, note = usable_columns(table, 6)
    assert columns == (1, 2, 3)
    assert note == "Set aside: 'id' (numbers the rows), 'word' (words), 'same' (constant)."
    more = table_of("id,a,w1,w2,w3,kind\n1,1.5,q,q,q,u\n2,2,q,q,q,v\n")
    assert usable_columns(more, 5)[1] == "Set aside: 'id' (numbers the rows), 'w1' (words), 'w2' (words) and 1 more."


@pytest.mark.parametrize(
    "text", ["a,b,kind\n1,2,u\n3,4,v\n", "a,word,kind\n1,q,u\n3,r,v\n", "a,b,c,kind\n1,2,7,u\n3,4,7,v\n"]
)
def test_two_usable_columns_or_fewer_offer_no_views(text: str) -> None:
    table = table_of(text)
    assert pairs.views(table, len(table.columns) - 1) is None


def test_cells_that_are_no_numbers_or_too_large() -> None:
    table = table_of("a,b,c,kind\n1,nan,3,u\n2,inf,5,v\n1e300,4,7,u\n4,5,9,v\n5,6,1,u\n,7,8,v\n7,8,9,\n")
    found = pairs.views(table, 3)
    assert found is not None and len(found.sample) == 6, "a row without a class is not scored"
    for pair in ((0, 1), (0, 2), (1, 2), None):
        xy, labels = found.points(pair)
        assert np.isfinite(xy).all() and len(xy) == len(labels) >= 2
    assert all(0.0 <= score <= 1.0 for score in all_scores(found).values())


def test_no_whole_row_means_no_components() -> None:
    table = table_of("a,b,c,kind\n1,,3,u\n2,3,,v\n,4,7,u\n8,,4,v\n3,1,,u\n")
    found = pairs.views(table, 3)
    assert found.components is None and found.note == "No principal components: no row has a number in every column."
    assert len(found.points(None)[0]) == 0


def test_names_twice_and_of_other_alphabets() -> None:
    table = table_of("größe,größe,身長,kind\n1,2,9,u\n3,1,8,v\n5,6,2,u\n2,3,4,v\n")
    found = pairs.views(table, 3)
    assert [table.columns[index].name for index in found.columns] == ["größe", "größe (2)", "身長"]
    assert "größe (2)" in "".join(found.components.axis_names([column.name for column in table.columns[:3]]))


def test_a_large_table_is_read_without_a_loop_over_its_cells() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(1, 5, 100_000)
    table = numbers(rng.normal(size=(100_000, 50)) + np.outer(labels, np.linspace(0, 1, 50)), labels)
    found = pairs.views(table, 50)
    assert found is not None and len(found.pairs) == 780 and len(found.sample) == 500
    assert calls_of(lambda: pairs.views(table, 50)) < 50_000


# -- what is imported ----------------------------------------------------------------------------------------------


def test_the_plane_of_the_components_is_imported() -> None:
    data = load_wine()
    table = numbers(data.data, data.target + 1)
    found = convert(table, Choice(0, 1, 13, components=tuple(range(13))))
    expected = PCA(2).fit_transform(StandardScaler().fit_transform(data.data))
    assert np.allclose(found.xy, expected, atol=1e-9) and (found.labels == data.target).all()
    assert found.axes[0].startswith("PC 1: 0.42 c6 + ") and not found.standardise and found.advice == ""
    assert found.summary.endswith("PC 2 against PC 1.")
    share = "55.4 % of the variance of 13 columns"
    assert found.limits == f"{share}: classes that overlap here may be separate in the rest."


def test_rows_with_a_missing_cell_are_left_out_of_the_components() -> None:
    data = load_wine()
    X = data.data.copy()
    X[[3, 70], [0, 12]] = np.nan
    table, choice = numbers(X, data.target + 1), Choice(0, 1, 13, components=tuple(range(13)))
    with pytest.raises(
        BadRows, match="2 of 178 rows cannot be used, first line 5: 'nan' in column 'c0' is not a"
    ) as bad:
        convert(table, choice)
    assert bad.value.count == 2
    found = convert(table, replace(choice, leave_out=True))
    whole = np.isfinite(X).all(axis=1)
    assert np.allclose(found.xy, PCA(2).fit_transform(StandardScaler().fit_transform(X[whole])), atol=1e-9)
    assert found.n_left_out == 2 and (found.labels == data.target[whole]).all()
    plane = pairs.views(table, 13).points(None)[0]
    assert np.allclose(plane, found.xy, atol=1e-12), "the small picture is of the points that come"


def test_columns_without_a_view_are_reported() -> None:
    X, y = load_iris().data, load_iris().target + 1
    assert convert(numbers(X[:, :2], y), Choice(0, 1, 2)).limits == ""
    three = "Two of 3 columns: classes that overlap here may be separate in the other."
    assert convert(numbers(X[:, :3], y), Choice(0, 1, 3)).limits == three
    assert convert(numbers(X), Choice(0, 1)).limits == (
        "Two of 4 columns: points that lie together here may be apart in the others."
    )


def test_components_of_columns_with_names_are_refused() -> None:
    columns = (column_of("a", np.arange(3)), column_of("b", np.arange(3)), Column("c", np.zeros(3), categories=("u",)))
    table = Table("arrays.npz", columns, np.arange(1, 4))
    with pytest.raises(FileError, match="column 'c' holds names"):
        convert(table, Choice(0, 1, components=(0, 1, 2)))
