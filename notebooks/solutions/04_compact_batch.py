from learn_compact import check


def my_compact_batch(content, run_tool):
    results, compact = [], False
    for call in content:
        if call["type"] != "tool_use":
            continue
        result = {"type": "tool_result", "tool_use_id": call["id"]}
        if call["name"] == "compact":
            compact = True
            result["content"] = "Manual compression requested."
        else:
            try:
                result["content"] = run_tool(call["name"], call["input"])
            except Exception as error:
                result |= {"content": str(error), "is_error": True}
        results.append(result)
    return {"role": "user", "content": results}, compact


check.compact_batch(my_compact_batch)
