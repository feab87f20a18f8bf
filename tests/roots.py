"""For tests that need what not every system has: another root, tools, rights."""
import os
import subprocess
import sys

SKIPPED = 77


def skip(why):
    """Nothing is skipped where MEMPROF_SKIP_NOTHING is set, as CI does."""
    if os.environ.get("MEMPROF_SKIP_NOTHING"):
        sys.exit(f"this must not be skipped here: {why}")
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def become_root():
    """A superuser, if need be one of a namespace of ours; in CI, whose user may use sudo, by that."""
    if os.geteuid() == 0:
        return
    ways = [["unshare", "-r"]] + [["sudo", "-n"]] * bool(os.environ.get("MEMPROF_SKIP_NOTHING"))
    for way in ways:
        try:
            subprocess.run([*way, "true"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        os.execvp(way[0], [*way, sys.executable, "-B", *sys.argv])
    skip("another root needs a superuser or user namespaces")
