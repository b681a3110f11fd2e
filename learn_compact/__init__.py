"""Learn Compact: how an agent keeps its context window from filling up, and what it must not forget while it does.

Everything a chapter teaches can be imported from here. A name is loaded when it is first used, so that
`import learn_compact` costs nothing and needs neither the SDK nor the notebook's packages.
"""

import importlib

# One row per module, in the order of the chapters: this table is the public face of the package.
_WHERE = {
    "messages": "to_message blocks tool_names tool_results result_text unseen_results newest_request safe_cuts",
    "rules": "problems Problem",
    "tokens": "estimate_tokens estimate_chars visible_chars estimate_by_kind count_text count_tokens context_parts "
              "PARTS RunningCount Meter",
    "data": "outline_names load_outline load_usage",
    "archive": "Archive",
    "layers.micro": "micro_compact micro_down_to",
    "layers.auto": "auto_compact compact_history reactive_compact",
    "layers.budget": "tool_result_budget",
    "layers.snip": "snip_compact",
    "layers.age": "micro_by_age Ages RECOVERABLE_TOOLS",
    "layers.collapse": "collapse finished_spans",
    "layers.full": "full_compact",
    "restore": "Restoration MemoryFile SystemPrompt TaskState recent_files restored_files",
    "summaries": "ModelSummarizer PrefixSummarizer three_points nine_sections parse_summary check_summary Summary "
                 "NINE_SECTIONS",
    "pipeline": "Step Pipeline Run StepReport s06 s08 claude_code above_tokens above_chars above_messages "
                "any_result_above above_estimate auto_compact_threshold Guard Guarded request_source",
    "ledger": "Ledger FATES",
    "agent": "Agent",
    "offline": "connect model_for sample_project MODEL",
    "conversations": "Conversation",
    "show": "ContextView LedgerView growth explore show_source waterfall",
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names.split()}

__all__ = list(_MODULE_OF)


def __getattr__(name):
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'learn_compact' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"learn_compact.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *__all__])
