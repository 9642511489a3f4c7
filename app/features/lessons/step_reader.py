"""StepReader: reads the fields of one step of a lesson into values, and adds every fault with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.plain_text import plain
from app.engine.cover import Cover
from app.exchange.opening import is_share_text
from app.files.documents import FileError
from app.scene.controls import PLACES
from app.scene.feature_table import FeatureTable
from app.state.document import Document, View
from app.state.edit_struct import changed_struct

from . import goals, names, starting
from .model import Goal, Prediction, PredictKind, Start, Step
from .parts import LONGEST_SENTENCE, LONGEST_TEXT, Entry, Faults, Part

RIGHT = "(right)"
#: What a step may cover, and what that is.
COVERS = {
    "picture": Cover.PICTURE,
    "numbers": Cover.NUMBERS,
    "marks": Cover.MARKS,
    "test accuracy": Cover.TEST,
    "none": Cover.NOTHING,
}


class StepReader:
    """Reads the fields of one step."""

    def __init__(self, features: FeatureTable, part: Part, folder: Path | None, found: Faults) -> None:
        self.features, self.part, self.folder, self.found = features, part, folder, found
        self.entries = {entry.word: entry for entry in part.entries}

    def step(self, before: Document | None, first: bool) -> tuple[Step, Document | None]:
        """The step, and the document it begins with, if that is known; `before` is that of the step before."""
        part = self.part
        text = "\n".join(part.text).strip("\n")
        if len(text) > LONGEST_TEXT:
            self.found.add(part.text_line or part.line, f"the text has more than {LONGEST_TEXT} characters.")
        start = replace(self._start(), settings=tuple(part.settings))
        document = self._document(start, before, first)
        view = self._view()
        if document is not None and view is not None:
            document = replace(document, view=View(*view))
        show, prediction = self._show(document), self._prediction(document)
        run = self._choice("run", ("paused", "playing"))
        step = Step(
            part.title,
            text,
            start,
            show,
            self._choice("panel", names.panels(self.features)),
            tuple(self._list("layer", names.layers(self.features))),
            view,
            run == "paused" or (prediction is not None and prediction.kind == "pair"),
            self._sentence("hint"),
            self._goal(document, show),
            prediction,
            part.line,
            self._cover(prediction),
            self._hide(),
        )
        return step, document

    def _cover(self, prediction: Prediction | None) -> Cover:
        entry = self.entries.get("cover")
        if entry is not None and prediction is None and "predict" not in self.entries:
            self.found.add(entry.line, "cover belongs to a question, “predict: …”; hide covers throughout a step.")
        cover = self._covers("cover", Cover.PICTURE)
        if entry is not None and prediction is not None and prediction.kind == "boundary" and cover != Cover.PICTURE:
            self.found.add(entry.line, "a boundary is drawn on a covered picture: cover is picture here.")
        return cover

    def _hide(self) -> Cover:
        hidden, entry = self._covers("hide", Cover.NOTHING), self.entries.get("hide")
        goal = self.entries.get("goal")
        if entry is not None and goal is not None and goals.tells(goal.value) & hidden:
            self.found.add(entry.line, "hide and goal: the goal would tell the number that is hidden.")
        return hidden

    def _covers(self, word: str, otherwise: Cover) -> Cover:
        """Return what a field covers, `otherwise` where it is missing."""
        cover = Cover.NOTHING
        for each in self._list(word, tuple(COVERS)):
            cover |= COVERS[each]
        return cover if word in self.entries else otherwise

    def _start(self) -> Start:
        entry = self.entries.get("start")
        if entry is None or not entry.value:
            return Start()
        value = entry.value.strip("`<>")
        if is_share_text(value):
            return Start("share", value)
        word, _, name = value.partition(" ")
        if word.lower() == "example":
            return Start("example", name.strip())
        if value.lower().endswith(".playground"):
            return Start("document", value)
        self.found.add(entry.line, "start is “example NAME”, a .playground file beside the lesson, or a share text.")
        return Start()

    def _document(self, start: Start, before: Document | None, first: bool) -> Document | None:
        if start.kind == "before" and ("start" in self.entries or (before is None and not first)):
            return None  # what is wrong is told where it stands
        try:
            base = starting.base_of(start, self.folder, before)
        except FileError as error:
            self.found.add(self.entries["start"].line, str(error))
            return None
        document, wrong = starting.changed(base, start.settings)
        for line, sentence in wrong:
            self.found.add(line, sentence)
        return document

    def _view(self) -> tuple[float, float, float] | None:
        entry = self.entries.get("view")
        if entry is None or not entry.value:
            return None
        parts = [starting.as_number(part) for part in entry.value.split(",")]
        numbers = [part for part in parts if part is not None]
        if len(numbers) != 3 or len(parts) != 3:
            self.found.add(entry.line, f"view is three numbers, “x, y, span”, not “{entry.value}”.")
            return None
        try:
            changed_struct(View(), dict(zip(["x", "y", "span"], numbers, strict=True)))
        except ValueError:
            self.found.add(entry.line, "view lies too far out, or its span is not above 0.")
            return None
        return numbers[0], numbers[1], numbers[2]

    def _words(self, word: str) -> Iterator[tuple[str, int]]:
        entry = self.entries.get(word)
        for each in entry.value.split(",") if entry is not None else ():
            if entry is not None and each.strip():
                yield each.strip(), entry.line

    def _list(self, word: str, known: Sequence[str]) -> Iterator[str]:
        for each, line in self._words(word):
            if each.lower() in known:
                yield each.lower()
            else:
                self.found.add(line, f"there is no {word} “{each}”; there are {', '.join(known)}.")

    def _choice(self, word: str, known: Sequence[str]) -> str:
        entry = self.entries.get(word)
        if entry is None or not entry.value or entry.value.lower() in known:
            return entry.value.lower() if entry is not None else ""
        self.found.add(entry.line, f"there is no {word} “{entry.value}”; there are {', '.join(known)}.")
        return ""

    def _show(self, document: Document | None) -> tuple[str, ...] | None:
        shown: list[str] = []
        entry = self.entries.get("show")
        if entry is None or entry.value.lower() in ("all", ""):
            return None
        if entry.value.lower() == "none":
            return ()
        for each, line in self._words("show"):
            name = names.control(each)
            if name is None:
                self.found.add(line, f"there is no control “{each}”; {_CONTROLS}.")
            else:
                shown.append(name)
        if document is not None and "classifier" not in shown:
            lanes = document.lanes[: document.shown]
            have = {each.name for lane in lanes for each in lane.family.fields} | set(PLACES)
            for name in shown:
                if name not in have:
                    self.found.add(entry.line, f"no classifier here has the control “{name}”.")
        return tuple(dict.fromkeys(shown))

    def _sentence(self, word: str) -> str:
        entry = self.entries.get(word)
        if entry is None:
            return ""
        if len(entry.value) > LONGEST_SENTENCE:
            self.found.add(entry.line, f"{word} has more than {LONGEST_SENTENCE} characters.")
        return plain(entry.value)

    def _goal(self, document: Document | None, show: tuple[str, ...] | None) -> Goal | None:
        entry = self.entries.get("goal")
        if entry is None or not entry.value:
            return None
        goal = Goal(self._sentence("goal"))
        try:
            goals.clauses(goal.text)
        except ValueError as error:
            self.found.add(entry.line, str(error))
            return None
        can_change = show is None or "classifier" in show or "classifiers" in show
        wrong = "" if document is None else goals.fault(goal, document, can_change)
        if wrong:
            self.found.add(entry.line, wrong)
        return goal

    def _prediction(self, document: Document | None) -> Prediction | None:
        entry = self.entries.get("predict")
        if entry is None:
            if "because" in self.entries:
                self.found.add(self.entries["because"].line, "because belongs to a question, “predict: …”.")
            return None
        made = re.fullmatch(r"(boundary|pair)?(?: ?of (?:classifier )?(\d{1,3}))?", entry.kind)
        if made is None or (made.group(2) and not made.group(1)):
            self.found.add(entry.line, "write “predict: …”, “predict boundary: …”, or “predict pair of 2: …”.")
            return None
        kinds: dict[str | None, PredictKind] = {None: "choice", "boundary": "boundary", "pair": "pair"}
        kind, lane = kinds[made.group(1)], int(made.group(2) or 1) - 1
        question = self._sentence("predict")
        because = self._sentence("because")
        if kind == "choice":
            return self._of_answers(entry, question, because)
        if entry.answers:
            self.found.add(entry.answers[0][1], f"“predict {kind}” has no answers: the student draws or picks.")
        if document is not None:
            self._check_guess(entry.line, kind, lane, document)
        return Prediction(kind, question, because=because, lane=max(lane, 0))

    def _of_answers(self, entry: Entry, question: str, because: str) -> Prediction:
        right = [place for place, (text, _) in enumerate(entry.answers) if text.lower().endswith(RIGHT)]
        if not 2 <= len(entry.answers) <= 4:
            self.found.add(entry.line, f"a question has 2 to 4 answers, “- …”, not {len(entry.answers)}.")
            return Prediction("choice", question, because=because)
        if len(right) != 1:
            many = "no answer" if not right else "more than one answer"
            self.found.add(entry.line, f"{many} is marked “{RIGHT}”.")
        answers: list[str] = []
        for place, (text, line) in enumerate(entry.answers):
            answer = plain(text[: -len(RIGHT)].rstrip() if place in right else text)
            if not answer or len(answer) > LONGEST_SENTENCE:
                self.found.add(line, f"an answer has 1 to {LONGEST_SENTENCE} characters.")
            elif answer in answers:
                self.found.add(line, "this answer stands here twice.")
            answers.append(answer)
        for place, (reason, line) in entry.reasons.items():
            if place in right:
                self.found.add(line, "the right answer needs no reason: “because: …” is told with it.")
            elif len(reason) > LONGEST_SENTENCE:
                self.found.add(line, f"reason has more than {LONGEST_SENTENCE} characters.")
        reasons = tuple(
            plain(entry.reasons[place][0]) if place in entry.reasons else "" for place in range(len(answers))
        )
        return Prediction(
            "choice",
            question,
            tuple(answers),
            right[0] if right else -1,
            because,
            reasons=reasons if any(reasons) else (),
        )

    def _check_guess(self, line: int, kind: PredictKind, lane: int, document: Document) -> None:
        if not 0 <= lane < document.shown:
            self.found.add(line, f"there is no classifier {lane + 1} here.")
            return
        asked: Any = document.lanes[lane]
        if kind == "boundary" and asked.is_difference:
            self.found.add(line, "a difference has no boundary of its own to draw.")
        if kind == "pair" and not (asked.trainer is not None and asked.trainer.has_rules):
            self.found.add(line, f"classifier {lane + 1} takes no pairs: “predict pair” is for an SVM trained by SMO.")


_CONTROLS = f"a control is a setting of a classifier, or {', '.join(PLACES)}"
