#!/usr/bin/env python3
"""The static program. It runs in a root folder that contains only it and the samples, with only the system
calls of an old kernel, and must give the same answers as the usual program.

  tests/static.py STATIC MEMPROF   exit 1 and the faults; 77: cannot be tested here

Changing the root folder needs a superuser, who may be one of a user namespace.
"""
import ctypes
import errno
import fcntl
import os
import pathlib
import platform
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

from roots import become_root, skip

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"
ENVIRONMENT = {"TERM": "xterm", "MEMPROF_NO_CONFIG": "1"}
# The oldest kernel in use on servers, that of RHEL 7 of 2014, and its last system call on x86-64,
# finit_module.
OLDEST, LAST_CALL = (3, 10), 313


def examine(program):
    """Check the file's own headers."""
    said = subprocess.run(["readelf", "--wide", "--dynamic", "--program-headers", "--notes", program],
                          capture_output=True, text=True, check=True).stdout
    for word in "NEEDED", "INTERP":
        if word in said:
            sys.exit(f"{program} is not static: it has {word}")
    kernel = re.search(r"OS: Linux, ABI: (\d+)\.(\d+)", said)
    if not kernel or tuple(map(int, kernel.groups())) > OLDEST:
        sys.exit(f"{program} asks for a newer kernel: {kernel and kernel.group(0)}")


class Filter(ctypes.Structure):
    """struct sock_fprog, and the program to which it points."""
    _fields_ = [("count", ctypes.c_ushort), ("program", ctypes.c_char_p)]


LIBC = ctypes.CDLL(None, use_errno=True)


def forget_new_calls():
    """From now on, deny all system calls that Linux 3.10 did not have."""
    steps = [(0x20, 0, 0, 0),                             # load the number of the call
             (0x35, 0, 1, LAST_CALL + 1),                 # is it a later call?
             (0x06, 0, 0, 0x00050000 | errno.ENOSYS),     # then it does not exist
             (0x06, 0, 0, 0x7fff0000)]                    # otherwise it is allowed
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    set_no_new_privileges, set_seccomp, by_filter = 38, 22, 2
    LIBC.prctl(set_no_new_privileges, 1, 0, 0, 0)
    if LIBC.prctl(set_seccomp, by_filter, ctypes.byref(Filter(len(steps), code)), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def old_kernel():
    """Return true if the test of an old kernel can run: the numbers of calls are those of this processor."""
    if platform.machine() != "x86_64":
        return False
    child = os.fork()
    if child == 0:
        getpid, getrandom = 39, 318
        forget_new_calls()
        known = LIBC.syscall(getpid) == os.getpid()
        forgotten = LIBC.syscall(getrandom, None, 0, 0) == -1 and ctypes.get_errno() == errno.ENOSYS
        os._exit(0 if known and forgotten else 1)
    return os.waitpid(child, 0)[1] == 0


def enter(root, old):
    def entered():
        os.chroot(root)
        os.chdir("/")
        if old:
            forget_new_calls()
    return entered


def in_root(root, words, old=False):
    done = subprocess.run(["/memprof", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, close_fds=False, preexec_fn=enter(root, old),
                          env=ENVIRONMENT, check=False)
    return done.returncode, done.stdout


def here(memprof, folder, words):
    done = subprocess.run([memprof, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, cwd=folder, check=False,
                          env={**ENVIRONMENT, "LC_ALL": "C.UTF-8"})
    return done.returncode, done.stdout


def on_terminal(program, words, prepare, keys=b""):
    process, terminal = pty.fork()
    if process == 0:
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            prepare()
            os.execve(program, [program, *words], ENVIRONMENT)
        finally:
            os._exit(126)
    said = b""
    while True:
        if keys and said and not select.select([terminal], [], [], 0.3)[0]:
            os.write(terminal, keys[:1])
            keys = keys[1:]
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # Linux reports in this way that the terminal is closed
            break
        if not data:
            break
        said += data
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), said


def same(what, expected, said):
    if expected != said:
        sys.exit(f"{what}: the static program says\n{said[1].decode(errors='replace')}({said[0]}) and not\n"
                 f"{expected[1].decode(errors='replace')}({expected[0]})")


def browsed(folder, memprof, old):
    """Check the full screen in the root folder, which has terminal descriptions; return a word if there is
    none."""
    words = ["browse", "wide.oemp"]
    status, said = on_terminal("/memprof", words, enter(folder, old))
    if status != 2 or b"TERM=xterm" not in said and b"built without" not in said:
        sys.exit(f"browse without a description of the terminal: exit {status}\n{said.decode()}")
    description = next((path for path in map(pathlib.Path, ("/lib/terminfo/x/xterm", "/usr/share/terminfo/x/xterm"))
                        if path.exists()), None)
    if b"built without" in said or not description:
        return
    # without a UTF-8 locale, characters beyond ASCII cannot be shown, and are replaced
    to = folder / description.relative_to("/")
    to.parent.mkdir(parents=True)
    shutil.copy(description, to)
    status, said = on_terminal("/memprof", words, enter(folder, old), b"Q")
    if status != 0 or b"shop.? ? ?" not in said:
        sys.exit(f"browse without a locale: exit {status}\n{said.decode()}")
    locale = pathlib.Path("/usr/lib/locale/C.utf8")
    if not locale.exists():
        return
    shutil.copytree(locale, folder / locale.relative_to("/"))
    expected = on_terminal(str(memprof), words, lambda: os.chdir(folder), b"2lQ")
    if expected[0] != 0 or "倉庫".encode() not in expected[1]:
        sys.exit("the wide names are not seen on a full screen")
    same("a full screen", expected, on_terminal("/memprof", words, enter(folder, old), b"2lQ"))


def main(static, memprof):
    if not static.exists():
        skip(f"{static} was not built")
    become_root()
    examine(static)
    old = old_kernel()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        samples = [p.name for p in sorted(SAMPLES.iterdir())
                   if p.suffix in (".oemp", ".prf", ".rpt", ".taligent", ".gclog", ".sqlite", ".pprof", ".pb", ".heapprofile", ".cpuprofile", ".heap", ".heaptrack", ".massif", ".dhat", ".folded", ".memcheck", ".lsan", ".json")]
        for name in samples:
            shutil.copy(SAMPLES / name, folder)
        shutil.copy(static, folder / "memprof")
        # names with wide and with combining characters
        wide = (SAMPLES / "shop-v2.oemp").read_bytes().replace(b"OrderEvent", "倉庫の注文".encode())
        (folder / "wide.oemp").write_bytes(wide.replace(b"PriceCache", "Pre\u0301is".encode()))
        samples.append("wide.oemp")
        for name in samples:
            for words in ["analyze", name], ["info", name, "--format", "json"]:
                expected = here(memprof, folder, words)
                same(" ".join(words), expected, in_root(folder, words))
                if old:
                    same(" ".join(words) + ", Linux 3.10", expected, in_root(folder, words, old=True))
        # several files at once in threads, a database that is written, a missing pager, columns on a terminal
        words = ["top", ".", "--limit", "5", "--jobs", "2"]
        same("a folder", here(memprof, folder, words), in_root(folder, words, old))
        words = ["export", "shop-v2.oemp", "--to", "aqtime", "--output", "out.sqlite"]
        status, said = in_root(folder, words, old)
        if status != 0:
            sys.exit(f"{' '.join(words)}: exit {status}\n{said.decode()}")
        words = ["analyze", "out.sqlite"]
        same("what was exported", here(memprof, folder, words), in_root(folder, words, old))
        words = ["leaks", "wide.oemp"]
        expected = on_terminal(str(memprof), [*words, "--no-pager"], lambda: os.chdir(folder))
        if "倉庫".encode() not in expected[1]:
            sys.exit("the wide names are not seen")
        same("a terminal", expected, on_terminal("/memprof", words, enter(folder, old)))
        browsed(folder, memprof, old)
        # iconv's modules belong to the system's C library, which the static program does not use
        status, said = in_root(folder, ["info", samples[0], "--encoding", "CP1252"])
        if status != 2 or b"static" not in said:
            sys.exit(f"--encoding CP1252: exit {status}\n{said.decode()}")
        (folder / "wide.oemp").write_bytes((folder / "wide.oemp").read_bytes().decode().encode("utf-16-le"))
        words = ["leaks", "wide.oemp", "--encoding", "UTF-16LE"]
        same("UTF-16LE", here(memprof, folder, words), in_root(folder, words, old))
    print(f"{len(samples)} recordings are read as elsewhere in an empty root"
          f"{', also by the calls of Linux 3.10' if old else ''}")


if __name__ == "__main__":
    main(*(pathlib.Path(path).resolve() for path in sys.argv[1:3]))
