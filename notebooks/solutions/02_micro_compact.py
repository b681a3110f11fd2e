from learn_compact import check, result_text, tool_names, tool_results


def my_micro_compact(messages, keep_recent=3):
    results, names, after = tool_results(messages), tool_names(messages), list(messages)
    answers = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
    for i, j, block in results[:max(0, len(results) - keep_recent)]:
        name = names[block["tool_use_id"]]
        if len(result_text(block)) <= 100 or name == "read_file" or i > max(answers):
            continue
        content = list(after[i]["content"])
        content[j] = {**block, "content": f"[Previous: used {name}]"}
        after[i] = {**after[i], "content": content}
    return after


check.micro_compact(my_micro_compact)
