"""Query: a background question of a feature about models, answered when nothing is more urgent; and its answer."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from app.core import log

from .cover import Cover
from .pacing import OvertakenError, Step
from .pool import Job


class LaneQuestion(str):
    """Name of a query about one lane: as a string, `what` followed by the slot.

    A query with any other name is about all lanes.

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
    """A question, as a frozen value that holds everything its answer depends on.

    Queries are compared with ``==``: one that equals the last of its name is not computed again.  A query that is more
    urgent than others has a `priority`.  One that reveals less than a whole picture has ``reveals: ClassVar[Cover]``,
    the covered results that its answer would reveal; without it, no answer is shown while a lesson covers any result.
    """

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Compute the answer in pieces of at most 8 ms, with ``yield Priority.BACKGROUND`` between them.

        Parameters
        ----------
        post : callable
            ``post(value)`` delivers the answer so far, any number of times.
        overtaken : callable
            Returns True if the answer is no longer needed: then return, or let the `Pace` end the job.  A query that
            changes with every picture of a training should post something before it checks this, else it never would.

        Raises
        ------
        ValueError
            If there is no answer; the sentence says why.
        """
        ...


class Answer(Struct, frozen=True, eq=False):
    """A query, with its answer so far.

    Attributes
    ----------
    name : str
        Name of the query.
    job : int
        Number of the request; later ones are greater.
    query : Query
    value : Any
        Value posted last; None before the first.
    done : bool
        Whether the answer is complete.
    message : str
        Sentence that says why there is no (further) answer, or "".
    owner : str
        Owner of the query, as in `Scheduler.request_answers`.
    """

    name: str
    job: int
    query: Query
    value: Any = None
    done: bool = False
    message: str = ""
    owner: str = ""

    @property
    def index(self) -> str:
        """Slot of the mailbox."""
        return self.name

    def given_away(self, covers: Mapping[int, Cover]) -> bool:
        """Return whether the answer would reveal covered results of the lanes it is about.

        The attribute `reveals` of a query names the results that its answer reveals; a query without it reveals all.
        """
        about = [self.name.slot] if isinstance(self.name, LaneQuestion) else covers
        reveals: Cover = getattr(self.query, "reveals", Cover.PICTURE)
        return any(covers.get(slot, Cover.NOTHING) & reveals for slot in about)


def work_out(asked: Answer, post: Callable[[Answer], None], overtaken: Callable[[], bool]) -> Job:
    """Compute the answer to a new query; an error becomes an answer with a sentence."""
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
        message = log.stopped("A question could not be answered.", error)
    if not overtaken():
        post(replace(answer, done=True, message=message))
