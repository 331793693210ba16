"""What a worker and the harness say to each other: one JSON object a line, requests down stdin, answers up stdout."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from npbench_runs.engines.engine import Refused, one_line
from npbench_runs.results import Status

# How the runtimes say that memory ran out without raising a MemoryError.
OUT_OF_MEMORY = ("RESOURCE_EXHAUSTED", "Out of memory", "std::bad_alloc")


def serve(requests: Mapping[str, Callable[..., Mapping[str, Any]]]) -> None:
    """Answers requests by name until stdin ends; all that programs print goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        content = json.loads(line)
        print(json.dumps(answer(requests[content.pop("request")], content)), file=answers)


def answer(request: Callable[..., Mapping[str, Any]], content: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a request gives, or the status and the reason of its failure."""
    try:
        return {"status": Status.RIGHT.value, **request(**content)}
    except Refused as refusal:
        return {"status": Status.REFUSED.value, "reason": str(refusal)}
    except Exception as failure:
        traceback.print_exc()
        reason = one_line(failure)
        is_memory = isinstance(failure, MemoryError) or any(sign in reason for sign in OUT_OF_MEMORY)
        return {"status": (Status.MEMORY if is_memory else Status.FAILED).value, "reason": reason}
