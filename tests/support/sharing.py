"""A pool without processes: calls are made at once, in this process."""

from __future__ import annotations

from concurrent.futures import Future

from panparser.work.pool import Pool, WorkerDied


class AtOnce(Pool):
    """Makes calls at once; the workers of those whose numbers are `lost` die."""

    def __init__(self, lost=()):
        super().__init__(self.fail, count=lambda: 2, stop_workers=self.note_stop)
        self.lost = set(lost)
        self.given = []
        self.stops = []  # numbers of calls before each stop of the workers

    def fail(self, *_):
        raise AssertionError

    def note_stop(self):
        self.stops.append(len(self.given))

    def submit(self, work, *given, retries=0):
        future = Future()
        self.given.append(given)
        if len(self.given) in self.lost:
            future.set_exception(WorkerDied("killed by signal 9"))
        else:
            future.set_result(work(*given))
        return future
