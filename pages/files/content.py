"""The bytes of an uploaded file: their digest, and that the server does not hold them longer than it reads."""

from __future__ import annotations

from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx


def digest_of_content(content: bytes) -> bytes:
    """Return the digest of a file's bytes, for the ledger's fingerprint."""
    from dpq_core.ledger import digest_of

    return digest_of(content)


def let_go(file_id: str) -> None:
    """Free the bytes of a file that was read; streamlit itself would keep them until the tab is closed."""
    context = get_script_run_ctx()
    if file_id and context is not None and runtime.exists():
        manager = runtime.get_instance().uploaded_file_mgr
        if isinstance(manager, MemoryUploadedFileManager):
            manager.remove_file(context.session_id, file_id)
