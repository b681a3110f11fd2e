from learn_compact import check, newest_request, unseen_results


def my_auto_compact(messages, summarize, archive):
    path, summary = archive.save_transcript(messages), summarize(messages)
    if not summary.strip():
        return messages
    kept = []
    if unseen_results(messages):
        last_answer = max(i for i, message in enumerate(messages) if message["role"] == "assistant")
        kept = messages[last_answer:]
    said = [f"[Conversation compressed. Transcript: {path}]\n\n{summary}"]
    if not newest_request(kept):
        said.append(f"Current user request:\n{newest_request(messages)}")
    return [{"role": "user", "content": [{"type": "text", "text": text} for text in said]}, *kept]


check.auto_compact(my_auto_compact)
