"""Conversations that other programs wrote: found on this machine, read, and written for a program to go on with."""

from learn_compact.conversations.conversation import Compaction, Conversation, Origin, Segment
from learn_compact.conversations.load import load

__all__ = ["Compaction", "Conversation", "Origin", "Segment", "load"]
