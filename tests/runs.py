"""Runs of memprof, either in servers that run one command line after the other (tests/server), or each in a new
process.

A server avoids the start of the program, which with sanitizers takes longer than most runs.
"""
import os
import queue
import select
import socket
import struct
import subprocess


class Server:
    """A server process, for one run at a time."""

    def __init__(self, program):
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen([program], stdin=theirs)
        theirs.close()

    def run(self, words, stdin, output=None):
        line = b"".join(os.fsencode(word) + b"\0" for word in words)
        pipes = [os.pipe(), output or os.pipe(), os.pipe()]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        socket.send_fds(self.socket, [line], theirs)
        for end in theirs:
            os.close(end)
        printed = talk(pipes[0][1], stdin or b"", [pipes[1][0], pipes[2][0]])
        answer = self.socket.recv(4)
        status = struct.unpack("i", answer)[0] if answer else self.process.wait()
        return subprocess.CompletedProcess(words, status, *printed)

    def is_alive(self):
        return self.process.returncode is None

    def close(self):
        """Return how the server ended: 0, or the report of a sanitizer."""
        self.socket.close()
        return self.process.wait()


def talk(into, data, sources):
    """Write all data, and read both sources to their ends."""
    parts, data = {source: [] for source in sources}, memoryview(data)
    os.set_blocking(into, False)
    poll = select.poll()
    if data:
        poll.register(into, select.POLLOUT)
    else:
        os.close(into)
    for source in sources:
        poll.register(source, select.POLLIN)
    open_ = set(sources)
    while open_:
        for ready, _ in poll.poll():
            if ready == into:
                try:
                    data = data[os.write(into, data[:65536]):]
                except BrokenPipeError:
                    data = data[:0]
                if not data:
                    poll.unregister(into)
                    os.close(into)
                continue
            try:
                part = os.read(ready, 1 << 20)
            except OSError:  # the terminal is no longer open anywhere
                part = b""
            parts[ready].append(part)
            if not part:
                poll.unregister(ready)
                os.close(ready)
                open_.remove(ready)
    if data:
        os.close(into)
    return [b"".join(parts[source]) for source in sources]


class Runs:
    """Run a program from any thread, in a running server if there is one."""

    def __init__(self, program, server=None):
        self.program, self.server, self.idle = program, server, queue.SimpleQueue()

    def run(self, *arguments, stdin=None, output=None):
        """Run a command line. `output`: both ends of a standard output that is not a pipe, such as a terminal."""
        if not self.server:
            return self.alone(*arguments, stdin=stdin, output=output)
        try:
            server = self.idle.get_nowait()
        except queue.Empty:
            server = Server(self.server)
        done = server.run(["memprof", *map(str, arguments)], stdin, output)
        if server.is_alive():
            self.idle.put(server)
        return done

    def alone(self, *arguments, stdin=None, output=None):
        """Start the program itself."""
        words = [self.program, *map(str, arguments)]
        pipes = [os.pipe(), output or os.pipe(), os.pipe()]
        environment = {"TERM": "xterm"} | os.environ  # a terminal has a name, but jobs without one do not set it
        with subprocess.Popen(words, stdin=pipes[0][0], stdout=pipes[1][1], stderr=pipes[2][1],
                              env=environment) as process:
            for end in (pipes[0][0], pipes[1][1], pipes[2][1]):
                os.close(end)
            printed = talk(pipes[0][1], stdin or b"", [pipes[1][0], pipes[2][0]])
        return subprocess.CompletedProcess(words, process.returncode, *printed)

    def close(self):
        """Return the number of servers that failed; they have printed what is wrong, such as a leak."""
        ends = []
        while not self.idle.empty():
            ends.append(self.idle.get().close())
        return sum(end != 0 for end in ends)
