"""What filled the window of a conversation, what it cost, and what another policy would have done with it.

Small files, each with one idea: `report` (the figures, as data), `stretch` (what each message weighs), `unfinished`
(output that a log cut off), `findings` (large blocks, files read again, results never used), `prices`, `estimates`,
`replayed` (policies), `mask` (before a picture is shared), what a reader sees of it (`tables`, `sections`, `text`,
`html`) and `export` (a request to go on with). `command` is `python -m learn_compact profile`. Nothing leaves the
machine.
"""

from learn_compact.profile.mask import masked
from learn_compact.profile.prices import PRICES, Price, cost
from learn_compact.profile.report import Profile, profile

__all__ = ["PRICES", "Price", "Profile", "cost", "masked", "profile"]
