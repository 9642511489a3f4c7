"""Types of numpy arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
