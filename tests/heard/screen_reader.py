"""What a screen reader hears: walk the program through AT-SPI in a process of its own, as Orca does.

Speech has an order: name, role, state, value, description of what gets the focus; then the changes of what has it, and
announcements.  What Orca leaves out (changes of what has no focus) is left out here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from jeepney import DBusAddress, MatchRule, MessageType, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE, PROPERTIES = "org.a11y.atspi.Accessible", "org.freedesktop.DBus.Properties"
#: Bits of states: https://gnome.pages.gitlab.gnome.org/at-spi2-core/libatspi/enum.StateType.html
STATES = {4: "checked", 10: "expanded", 12: "focused", 23: "selected", 25: "showing"}
LABELLED_BY = 2
#: Events that Orca listens to.
EVENTS = ("object:state-changed", "object:property-change", "object:announcement", "window:activate")
#: Roles whose state of being checked is always said.
CHECKABLE = {"check box", "radio button", "toggle button", "check menu item", "radio menu item"}
#: Roles with a value.
VALUED = {"slider", "spin button", "scroll bar", "progress bar", "dial"}

#: An object: name of its program on the bus, and path.
Reference = tuple[str, str]


class ScreenReader:
    """A screen reader that writes what it would say."""

    def __init__(self) -> None:
        session = open_dbus_connection("SESSION")
        launcher = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
        (address,) = session.send_and_get_reply(new_method_call(launcher, "GetAddress")).body
        session.close()
        self.bus: DBusConnection = open_dbus_connection(address)
        for interface in ("Object", "Window"):
            rule = MatchRule(type="signal", interface=f"org.a11y.atspi.Event.{interface}")
            self.bus.send_and_get_reply(message_bus.AddMatch(rule))
        registry = DBusAddress("/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "org.a11y.atspi.Registry")
        for event in EVENTS:
            self.bus.send_and_get_reply(new_method_call(registry, "RegisterEvent", "s", (event,)))
        # Signals that come while a reply is awaited are kept.
        self._signals = self.bus.filter(MatchRule(type="signal"), bufsize=10_000)
        self._queue = self._signals.__enter__()
        self.focus: Reference | None = None

    def call(self, of: Reference, interface: str, method: str, signature: str = "", *body: object) -> tuple[Any, ...]:
        """Call a method of an object; () if it is gone."""
        address = DBusAddress(of[1], of[0], interface)
        reply = self.bus.send_and_get_reply(new_method_call(address, method, signature or None, body))
        return () if reply.header.message_type is MessageType.error else reply.body

    def get(self, of: Reference, name: str, interface: str = ACCESSIBLE) -> Any:
        """Return a property of an object; None if it has none."""
        answer = self.call(of, PROPERTIES, "Get", "ss", interface, name)
        return answer[0][1] if answer else None

    def name(self, of: Reference) -> str:
        """Return the name of an object, after that of its label."""
        (relations,) = self.call(of, ACCESSIBLE, "GetRelationSet") or ((),)
        labels = [self.get(each, "Name") for kind, targets in relations if kind == LABELLED_BY for each in targets]
        own = self.get(of, "Name") or ""
        return ", ".join(dict.fromkeys([*filter(None, labels), own]))

    def states(self, of: Reference) -> set[str]:
        words = self.call(of, ACCESSIBLE, "GetState")
        low, high = words[0] if words else (0, 0)
        bits = low | high << 32
        return {name for bit, name in STATES.items() if bits >> bit & 1}

    def role(self, of: Reference) -> str:
        found = self.call(of, ACCESSIBLE, "GetRoleName")
        return str(found[0]) if found else ""

    def text(self, of: Reference) -> str:
        """Return the text of a field, or the value of a slider."""
        if self.role(of) in VALUED:
            text = self.get(of, "Text", "org.a11y.atspi.Value")
            value = self.get(of, "CurrentValue", "org.a11y.atspi.Value")
            return str(text) if text else ("" if value is None else f"{value:g}")
        found = self.call(of, "org.a11y.atspi.Text", "GetText", "ii", 0, -1)
        return str(found[0]) if found else ""

    def speech(self, of: Reference) -> str:
        """Return what is said of an object that gets the focus."""
        role, states = self.role(of), self.states(of)
        if role in CHECKABLE and "checked" not in states:
            states.add("not checked")
        name, description = self.name(of), self.get(of, "Description")
        parts = [name, role, *sorted(states - {"focused", "showing"}), self.text(of), description]
        return ", ".join(str(part) for part in parts if part)

    def focused(self, within: Reference) -> Reference | None:
        """Return what has the focus inside an object, or None."""
        states = self.states(within)
        if "focused" in states or "showing" not in states:
            return within if "focused" in states and "showing" in states else None
        (children,) = self.call(within, ACCESSIBLE, "GetChildren") or ((),)
        return next((found for child in children if (found := self.focused(child)) is not None), None)

    def heard(self, seconds: float) -> Iterator[str]:
        """Yield what is said within `seconds`."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                message = self.bus.recv_until_filtered(self._queue, timeout=left)
            except TimeoutError:
                return
            fields = message.header.fields
            of = (fields[7], fields[1])
            words = self._said(of, fields[3], message.body)
            if words:
                yield words

    def _said(self, of: Reference, event: str, body: tuple[Any, ...]) -> str:
        detail, first = body[0], body[1]
        if event == "Activate":
            self.focus = self.focused(of)
            return f"{self.get(of, 'Name')}, window; {self.speech(self.focus) if self.focus else ''}"
        if event == "Announcement":
            return f"! {body[3][1]}"
        if event == "StateChanged" and detail == "focused" and first:
            if of == self.focus:
                return ""
            self.focus = of
            return self.speech(of)
        if of != self.focus:
            return ""
        if event == "StateChanged" and detail in ("checked", "expanded", "selected"):
            return detail if first else f"not {detail}"
        if event == "PropertyChange":
            if detail == "accessible-value":
                return self.text(of) or str(self.get(of, "Name"))
            if detail in ("accessible-name", "accessible-description"):
                return str(self.get(of, detail.removeprefix("accessible-").title()))
        return ""
