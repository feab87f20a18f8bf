"""Print the leaks of a recording with the library: the example of docs/library.md in Python."""
import ctypes
import json
import sys

mp, written, error = ctypes.CDLL("libmemprof.so.0"), bytearray(), None
mp.mp_session_new.restype = mp.mp_session_ask.restype = ctypes.c_void_p
mp.mp_session_error.restype = ctypes.c_char_p
session = ctypes.c_void_p(mp.mp_session_new())
mp.mp_session_add(session, sys.argv[1].encode())
answer = ctypes.c_void_p(mp.mp_session_ask(session, b"leaks", None, ctypes.c_size_t(0), error))
take = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(
    lambda _, at, size: written.extend(ctypes.string_at(at, size)) or True)
if not answer or not mp.mp_document_write(answer, b"json", session, take, None, error):
    sys.exit(mp.mp_session_error(session).decode())
for leak in json.loads(written)["leaks"]:
    print(leak["bytes"], "bytes of", leak["type"], "at", leak["stack"][0])
