"""Version of both packages, `solver` and `app`, and the day of its release."""

from __future__ import annotations

__version__ = "1.0.0"
#: Day of the release, as in CHANGELOG.md.
__date__ = "2026-11-22"
