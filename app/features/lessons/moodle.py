"""Moodle: questions with their pictures as a file in Moodle's XML format, for import into a question bank.

The format: https://docs.moodle.org/en/Moodle_XML_format
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from msgspec import Struct

from app.core.plain_text import plain

from .model import Prediction

#: Characters that are invalid in XML files.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
QUESTION, SOLUTION = "question.png", "solution.png"


class QuizQuestion(Struct, frozen=True):
    """A question of a quiz.

    Attributes
    ----------
    name : str
    text, because : str
        HTML.
    prediction : Prediction
    task : str
        What is to be drawn by hand; empty if an answer is chosen.
    question, solution : bytes
        PNG files of the picture without and with its solution.
    """

    name: str
    text: str
    prediction: Prediction
    task: str
    because: str
    question: bytes
    solution: bytes


def quiz(title: str, questions: Sequence[QuizQuestion]) -> bytes:
    """Return the XML file of questions, in a category of their own."""
    root = Element("quiz")
    category = SubElement(root, "question", type="category")
    # A slash begins a subcategory; two are a slash.
    _text(SubElement(category, "category"), f"$course$/top/{title.replace('/', '//')}")
    for each in questions:
        root.append(_chosen(each) if each.prediction.kind == "choice" else _drawn(each))
    ElementTree.indent(root)
    file = io.BytesIO()
    ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    return file.getvalue()


def _question(kind: str, question: QuizQuestion) -> Element:
    """Return the parts common to questions of all kinds."""
    element = Element("question", type=kind)
    _text(SubElement(element, "name"), question.name)
    asked = f"{question.text}<p><b>{escape(plain(question.prediction.question))}</b></p>"
    asked += f"<p>{escape(question.task)}</p>" if question.task else ""
    _html(element, "questiontext", asked, QUESTION, question.question)
    _html(element, "generalfeedback", question.because, SOLUTION, question.solution)
    _leaves(element, defaultgrade="1", penalty="0", hidden="0")
    return element


def _chosen(question: QuizQuestion) -> Element:
    """Return a question with one right answer."""
    element, prediction = _question("multichoice", question), question.prediction
    _leaves(element, single="true", shuffleanswers="false", answernumbering="ABCD")
    for index, text in enumerate(prediction.answers):
        answer = _html(element, "answer", f"<p>{escape(plain(text))}</p>")
        answer.set("fraction", "100" if index == prediction.right else "0")
        reason = prediction.reasons[index] if index < len(prediction.reasons) else ""
        _html(answer, "feedback", f"<p>{escape(plain(reason))}</p>" if reason else "")
    return element


def _drawn(question: QuizQuestion) -> Element:
    """Return a question that is answered by a file, the picture with a drawing.  A teacher grades it."""
    element = _question("essay", question)
    _leaves(element, responseformat="noinline", responserequired="0", attachments="1", attachmentsrequired="1")
    _html(element, "graderinfo", question.because, SOLUTION, question.solution)
    return element


def _leaves(parent: Element, **texts: str) -> None:
    for name, text in texts.items():
        SubElement(parent, name).text = text


def _text(parent: Element, text: str) -> None:
    SubElement(parent, "text").text = _FORBIDDEN.sub("", text)


def _html(parent: Element, name: str, html: str, file: str = "", png: bytes = b"") -> Element:
    """Add an element with HTML and, below that, a picture."""
    element = SubElement(parent, name, format="html")
    _text(element, f'{html}<p><img src="@@PLUGINFILE@@/{file}" alt="" /></p>' if file else html)
    if file:
        data = base64.b64encode(png).decode("ascii")
        SubElement(element, "file", name=file, path="/", encoding="base64").text = data
    return element
