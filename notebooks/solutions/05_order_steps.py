from learn_compact import check

my_order = ["tool_result_budget", "snip_compact", "micro_compact", "compact_history"]

check.order_steps(my_order)
