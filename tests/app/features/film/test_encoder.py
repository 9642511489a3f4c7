"""Films as files: decoded again by Pillow, picture by picture."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from app.features.film import plan
from app.features.film.encoder import Film, Palette, changed, encode

HEIGHT, WIDTH = 37, 53  # odd: WebP wants even corners


def pictures(n_colours: int = 4000) -> list[np.ndarray]:
    """Pictures of many colours that change here and there, twice not at all, once in their last pixel alone."""
    rng = np.random.default_rng(3)
    colours = rng.integers(0, 256, (n_colours, 3), dtype=np.uint8)
    first = colours[rng.integers(0, n_colours, (HEIGHT, WIDTH))]
    first[:, :20] = (250, 251, 252)
    made = [first]
    for box in (np.s_[5:20, 7:31], np.s_[0:0, 0:0], np.s_[36:37, 52:53], np.s_[1:2, 3:4], np.s_[0:0, 0:0]):
        new = made[-1].copy()
        new[box] = colours[rng.integers(0, n_colours, new[box].shape[:2])]
        made.append(new)
    return made


def decoded(data: bytes) -> tuple[list[np.ndarray], list[float], int]:
    """Pictures, milliseconds of each, and how often it is shown (0: for ever)."""
    image = Image.open(BytesIO(data))
    found, seen = [], []
    for each in ImageSequence.Iterator(image):
        found.append(np.asarray(each.convert("RGB")))
        seen.append(float(each.info["duration"]))
    return found, seen, int(image.info["loop"])


@pytest.mark.parametrize("kind", ["webp", "png", "gif"])
@pytest.mark.parametrize("rate", [1, 5, 12, 25, 30, 60])
def test_a_film_is_what_went_into_it(kind: str, rate: int) -> None:
    if rate not in plan.rates(kind):
        assert kind == "gif" and 100 % rate
        return
    made = pictures()
    times = plan.times(len(made), rate)
    data = b"".join(encode(Film(kind, WIDTH, HEIGHT, times), made, made))
    found, seen, loop = decoded(data)
    assert len(found) == len(made) and loop == 0
    assert seen == list(times) and seen[-1] == 2000
    # Not one picture later than a millisecond from where it belongs.
    np.testing.assert_allclose(np.cumsum(seen)[:-1], 1000 / rate * np.arange(1, len(made)), atol=0.5)
    if kind != "gif":
        for number, (one, other) in enumerate(zip(found, made, strict=True)):
            np.testing.assert_array_equal(one, other, err_msg=str(number))
        return
    # One palette, which stands in the file's head; each pixel has the nearest of its colours.
    palette = np.frombuffer(data[13 : 13 + 768], dtype=np.uint8).reshape(256, 3).astype(int)
    for one, other in zip(found, made, strict=True):
        away = ((other[:, :, None].astype(int) - palette) ** 2).sum(axis=3).min(axis=2)
        np.testing.assert_array_equal(((one.astype(int) - other) ** 2).sum(axis=2), away)
        assert (one[:, :3] == (250, 251, 252)).all()  # frequent: kept as it is, and never flickers


def test_a_gif_of_few_colours_is_exact() -> None:
    made = pictures(200)
    found, _, _ = decoded(b"".join(encode(Film("gif", WIDTH, HEIGHT, plan.times(len(made), 10)), made, made)))
    for one, other in zip(found, made, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_palette_of_samples_serves_colours_it_has_not_seen() -> None:
    made = pictures()
    palette = Palette(made[:1])
    assert palette.colours.shape == (256, 3)
    places = palette.places(np.array([[[249, 251, 252]]], dtype=np.uint8))
    assert tuple(palette.colours[places[0, 0]]) == (250, 251, 252)


def test_only_what_has_changed_is_stored_again() -> None:
    one = np.zeros((20, 30, 3), dtype=np.uint8)
    other = one.copy()
    assert changed(None, one) == (slice(0, 20), slice(0, 30)) and changed(one, other) == (slice(0, 1), slice(0, 1))
    other[7, 9, 2] = other[11, 22, 0] = 1
    assert changed(one, other) == (slice(6, 12), slice(8, 23))
    made = pictures()
    for kind in plan.TITLES:
        sizes = [len(part) for part in encode(Film(kind, WIDTH, HEIGHT, plan.times(6, 10)), made, made)]
        before, moved, still = sizes[1:4]
        assert before > moved > 3 * still and sum(sizes) == len(
            b"".join(encode(Film(kind, WIDTH, HEIGHT, plan.times(6, 10)), made, made))
        )


def test_a_film_goes_to_the_encoder_and_back() -> None:
    film = Film("webp", 3, 4, (1, 2), 5, True)
    assert Film.of_line(film.line()) == film and film.line().count(b"\n") == 1


def test_the_encoder_needs_nothing_of_the_program() -> None:
    source = (Path(plan.__file__).with_name("encoder.py")).read_text(encoding="utf-8")
    assert "from app" not in source and "import app" not in source
