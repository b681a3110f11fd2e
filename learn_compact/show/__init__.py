"""Pictures of what fills a context: figures, explorers, and the package's own source.

The model apart from the view: `blocks` and `moments` measure a conversation, `scene` is a sheet of shapes and words
that two painters paint, `bundle` shows it in four forms at once. Left out: everything that decides anything.
"""

from learn_compact.show.accuracy import errors, sizes
from learn_compact.show.bundle import Bundle
from learn_compact.show.context_view import ContextView
from learn_compact.show.explore import explore
from learn_compact.show.explorer import explorer
from learn_compact.show.growth import growth
from learn_compact.show.ledger_view import LedgerView
from learn_compact.show.lives import lives
from learn_compact.show.loop_figure import loop_figure
from learn_compact.show.palette import PALETTE
from learn_compact.show.source import show_source
from learn_compact.show.table import Table
from learn_compact.show.waterfall import waterfall

__all__ = ["PALETTE", "Bundle", "ContextView", "LedgerView", "Table", "errors", "explore", "explorer", "growth",
           "lives", "loop_figure", "show_source", "sizes", "waterfall"]
