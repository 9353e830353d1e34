"""What the catalog tells the runner; the only signals of our own."""

from django.dispatch import Signal

# sent after the commit, with tool=Tool, by=User|None, reason=str
tool_switched = Signal()
# sent after the commit, with source=Source
catalog_changed = Signal()
