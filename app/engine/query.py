"""Query: a question about models that the background answers when nothing else is wanted, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from app.core import log

from .cover import Cover
from .pieces import OvertakenError, Step
from .pool import Job


class LaneQuestion(str):
    """The name of a question about one lane: as a string, `what` followed by the slot.

    A question of any other name is about all lanes.

    Parameters
    ----------
    what : str
    slot : int
    """

    slot: int

    def __new__(cls, what: str, slot: int) -> LaneQuestion:
        made = super().__new__(cls, f"{what}{slot}")
        made.slot = slot
        return made


class Query(Protocol):
    """What somebody wants to know: a frozen value that holds everything the answer depends on.

    Questions are compared with ``==``: one that equals the last of its name is not asked again.  One that is more
    urgent than others has a `priority`.
    """

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Work it out in pieces of at most 8 ms, with ``yield Priority.BACKGROUND`` between them.

        Parameters
        ----------
        post : callable
            ``post(value)`` delivers the answer as far as it is known, any number of times.
        overtaken : callable
            True when nobody waits for this any more: return, or let the `Pace` end it.  One that is asked anew with
            every picture of a training should post something before it looks, else nothing is ever seen of it.

        Raises
        ------
        ValueError
            There is no answer; the sentence says why.
        """
        ...


class Answer(Struct, frozen=True, eq=False):
    """A question that was asked, and what is known of its answer.

    Attributes
    ----------
    name : str
        Under which it was asked.
    number : int
        Of the asking; later ones are greater.
    query : Query
    value : Any
        What was posted last; None before that.
    done : bool
        Nothing more comes.
    message : str
        Why there is no (more of an) answer, in a sentence; or "".
    owner : str
        Of whose questions it is one.
    """

    name: str
    number: int
    query: Query
    value: Any = None
    done: bool = False
    message: str = ""
    owner: str = ""

    @property
    def index(self) -> str:
        """The mailbox's slot."""
        return self.name

    def given_away(self, covers: Mapping[int, Cover]) -> bool:
        """Return whether the answer would give away something that is covered of the lanes that it is about.

        A query says in its `tells` what its answer gives away; without that, everything.
        """
        about = [self.name.slot] if isinstance(self.name, LaneQuestion) else covers
        tells: Cover = getattr(self.query, "tells", Cover.PICTURE)
        return any(covers.get(slot, Cover.NOTHING) & tells for slot in about)


def work_out(asked: Answer, post: Callable[[Answer], None], overtaken: Callable[[], bool]) -> Job:
    """The job of a question of which nothing is known yet; whatever goes wrong becomes an answer with a sentence."""
    answer = asked

    def deliver(value: Any) -> None:
        nonlocal answer
        answer = replace(asked, value=value)
        post(answer)

    try:
        yield from asked.query.answer(deliver, overtaken)
        message = ""
    except OvertakenError:
        return
    except ValueError as error:
        message = str(error)
    except Exception as error:
        log.caught("A question could not be answered.")
        message = f"Stopped by an internal error ({type(error).__name__}: {error}). The next change tries again."
    if not overtaken():
        post(replace(answer, done=True, message=message))
