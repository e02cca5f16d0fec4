"""Who waits for whom."""

from __future__ import annotations

import asyncio

import pytest

from panparser.serve.limits import AdmissionController, Limits, RequestError


def test_requests_beyond_the_limits_are_rejected():
    controller = AdmissionController(Limits(max_requests=2, max_body_bytes=10))
    with controller.admit(5), controller.admit(5):
        with pytest.raises(RequestError) as refused, controller.admit(0):
            pass
        assert (refused.value.status, refused.value.retry_after) == (503, 2)
    with pytest.raises(RequestError), controller.admit(641):
        pass
    assert (controller.request_count, controller.pending_bytes) == (0, 0)


def test_turns_come_in_order_and_as_far_as_there_is_room():
    async def run() -> None:
        controller = AdmissionController(Limits(max_active_requests=3, max_body_bytes=10))  # 40 bytes at a time
        order: list[int] = []
        most = 0

        async def work(number: int, size: int) -> None:
            nonlocal most
            async with controller.slot(size):
                order.append(number)
                most = max(most, controller.active_count)
                assert controller._active_bytes <= 40 or controller.active_count == 1
                await asyncio.sleep(0.001)

        sizes = [10, 10, 10, 10, 40, 0, 50, 1]
        tasks = [asyncio.create_task(work(number, size)) for number, size in enumerate(sizes)]
        await asyncio.sleep(0)
        tasks[5].cancel()  # it still waits
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == [0, 1, 2, 3, 4, 6, 7]
        assert (most, controller.active_count, controller._active_bytes, len(controller._queue)) == (3, 0, 0, 0)

    asyncio.run(run())


def test_who_is_cancelled_in_the_moment_of_its_turn_gives_it_back():
    async def run() -> None:
        controller = AdmissionController(Limits(max_active_requests=1))

        async def work() -> None:
            async with controller.slot(1):
                await asyncio.sleep(0)

        async with controller.slot(1):
            waiting = asyncio.create_task(work())
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert (controller.active_count, controller._active_bytes) == (0, 0)

    asyncio.run(run())
