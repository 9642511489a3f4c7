"""Films as files: decoded by Pillow, picture by picture."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest

from app.features.film import plan
from app.features.film.encoder import Feed, Palette, Pixels, changed, encode, estimated, palette_of
from app.files.background_task import CancelledError, Progress
from tests.app.features.film.decoding import decoded, played

HEIGHT, WIDTH = 37, 53  # odd, although WebP needs even corners


def pictures(n_colours: int = 4000) -> list[Pixels]:
    """Return pictures of many colours that change here and there, twice not at all, once in the last pixel only."""
    rng = np.random.default_rng(3)
    colours = rng.integers(0, 1 << 24, n_colours, dtype=np.uint32) | np.uint32(0xFF000000)
    first = colours[rng.integers(0, n_colours, (HEIGHT, WIDTH))]
    first[:, :20] = 0xFFFAFBFC
    made = [first]
    for box in (np.s_[5:20, 7:31], np.s_[0:0, 0:0], np.s_[36:37, 52:53], np.s_[1:2, 3:4], np.s_[0:0, 0:0]):
        new = made[-1].copy()
        new[box] = colours[rng.integers(0, n_colours, new[box].shape)]
        made.append(new)
    return made


def rgb(picture: Pixels) -> np.ndarray:
    return np.stack([picture >> shift & 255 for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


@pytest.mark.parametrize("kind", ["webp", "png", "gif"])
@pytest.mark.parametrize("rate", [1, 5, 12, 25, 30, 60])
def test_a_film_is_what_went_into_it(kind: str, rate: int) -> None:
    if rate not in plan.rates(kind):
        assert kind == "gif" and 100 % rate
        return
    made = pictures()
    times = plan.times(len(made), rate)
    data = encode(kind, times, palette_of(kind, made), made)
    found, visible, loop = decoded(BytesIO(data))
    assert loop == 0
    # No picture is more than a millisecond late.
    np.testing.assert_allclose(np.cumsum(times)[:-1], 1000 / rate * np.arange(1, len(made)), atol=0.5)
    shown = played(found, visible, times)
    if kind != "gif":
        for number, (one, other) in enumerate(zip(shown, made, strict=True)):
            np.testing.assert_array_equal(one, rgb(other), err_msg=str(number))
        return
    # One palette, in the file's header; each pixel has the nearest of its colours.
    palette = np.frombuffer(data[13 : 13 + 768], dtype=np.uint8).reshape(256, 3).astype(int)
    for one, other in zip(shown, map(rgb, made), strict=True):
        away = ((other[:, :, None].astype(int) - palette) ** 2).sum(axis=3).min(axis=2)
        np.testing.assert_array_equal(((one.astype(int) - other) ** 2).sum(axis=2), away)
        assert (one[:, :3] == (250, 251, 252)).all()  # a frequent colour is kept exactly, and never flickers


def test_a_gif_of_few_colours_is_exact() -> None:
    made = pictures(200)
    times = plan.times(len(made), 10)
    found, visible, _ = decoded(BytesIO(encode("gif", times, Palette(made), made)))
    for one, other in zip(played(found, visible, times), made, strict=True):
        np.testing.assert_array_equal(one, rgb(other))


def test_a_palette_of_samples_serves_new_colours() -> None:
    made = pictures()
    palette = Palette(made[:1])
    assert palette.colours.shape == (256, 3)
    locations = palette.indices(np.array([[0xFFF9FBFC]], dtype=np.uint32))
    assert tuple(palette.colours[locations[0, 0]]) == (250, 251, 252)


def test_only_what_has_changed_is_stored_again() -> None:
    one = np.zeros((20, 30), dtype=np.uint32)
    other = one.copy()
    assert changed(None, one) == (slice(0, 20), slice(0, 30)) and changed(one, other) == (slice(0, 1), slice(0, 1))
    other[7, 9] = other[11, 22] = 1
    assert changed(one, other) == (slice(7, 12), slice(9, 23))
    made = pictures()
    for kind in plan.TITLES:

        def size(number: int, kind: str = kind) -> int:
            return len(encode(kind, plan.times(number, 10), palette_of(kind, made), made[:number]))

        before, moved, still = size(1), size(2) - size(1), size(3) - size(2)
        assert before > moved > 3 * still


@pytest.mark.parametrize("kind", plan.TITLES)
def test_what_a_film_will_take_is_estimated(kind: str) -> None:
    made = pictures()
    times = plan.times(len(made), 10)
    whole = len(encode(kind, times, palette_of(kind, made), made))
    assert estimated(kind, times, dict(enumerate(made)), Progress()) == pytest.approx(whole, rel=0.05)
    long = plan.times(600, 10)
    alone = estimated(kind, long, {0: made[0]}, Progress())
    assert estimated(kind, long, {0: made[0], 1: made[1]}, Progress()) > 50 * alone
    progress = Progress()
    progress.cancel()
    with pytest.raises(CancelledError):
        estimated(kind, times, dict(enumerate(made)), progress)


@pytest.mark.parametrize("kind", plan.TITLES)
def test_few_pictures_are_in_memory_at_once(kind: str) -> None:
    made, begun = pictures(), []
    alive: list[int] = []

    def one_by_one() -> Iterator[Pixels]:
        for number in range(30):
            picture = made[number % len(made)].copy()
            begun.append(weakref.ref(picture))
            alive.append(sum(each() is not None for each in begun))
            yield picture
            del picture

    encode(kind, plan.times(30, 10), palette_of(kind, made), one_by_one())
    assert len(alive) == 30 and max(alive) <= 3


def test_pictures_are_handed_over_one_at_a_time_until_none_follows() -> None:
    made, feed, taken = pictures(), Feed(), []
    found: list[Pixels] = []
    ended = threading.Event()

    def encoder() -> None:
        with pytest.raises(CancelledError):
            for picture in feed.take(len(made)):
                found.append(picture)
        ended.set()

    thread = threading.Thread(target=encoder)
    thread.start()
    for picture in made[:3]:
        came = threading.Event()
        feed.put(picture, lambda _, came=came: came.set())
        taken.append(came.wait(300))
    feed.close()
    assert ended.wait(300) and all(taken) and [id(each) for each in found] == [id(each) for each in made[:3]]
    thread.join()
