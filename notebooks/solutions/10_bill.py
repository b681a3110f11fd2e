from learn_compact import check


def bill(usage):
    return (usage["input_tokens"] + 1.25 * usage["cache_creation_input_tokens"]
            + 0.1 * usage["cache_read_input_tokens"] + 5 * usage["output_tokens"])


check.bill(bill)
