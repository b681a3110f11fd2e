"""What the API says instead of an answer, as an error of ours: a sentence with the cause, and what to do about it."""

from learn_compact.errors import ContextWindowError, RequestError

ADVICE = {  # by status
    401: "Check ANTHROPIC_API_KEY, in the environment or in .env.",
    403: "Another key or another MODEL_ID may be allowed to.",
    404: "Check MODEL_ID and ANTHROPIC_BASE_URL.",
}
MEND = "Mend what it names, then say how to go on: nothing that was said is lost."
WAIT = "Wait a little, then say how to go on: nothing that was said is lost."


def refused(error):
    """The RequestError for an error of the SDK."""
    status = getattr(error, "status_code", None)
    if status is None:
        cause = str(error.__cause__ or error).rstrip(".")
        return RequestError(f"The API gave no answer: {cause}. Check the network and ANTHROPIC_BASE_URL.")
    found = RequestError(f"The API refused ({status}): {_sentence(error)}. "
                         f"{ADVICE.get(status, WAIT if status == 429 or status >= 500 else MEND)}")
    found.status = status
    return found


def is_too_long(error):
    """Whether the API refused a request because it is too long."""
    status = getattr(error, "status_code", None)
    return status == 413 or (status == 400 and "prompt is too long" in _sentence(error))


def too_long(error):
    """The ContextWindowError for a request that stays too long."""
    return ContextWindowError(f"The request doesn't fit into the model's context window: {_sentence(error)}. The "
                              "policy made it no smaller. Ask for less at once, or choose a larger window.")


def _sentence(error):
    """The API's own sentence, without the stop at its end."""
    body = error.body if isinstance(error.body, dict) else {}
    return str((body.get("error") or {}).get("message") or error.message).rstrip(".")
