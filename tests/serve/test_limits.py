"""Who waits for whom."""

from __future__ import annotations

import asyncio

import pytest

from panparser.serve.limits import AdmissionController, Limits, RequestError


def test_a_house_has_room_for_so_many():
    house = AdmissionController(Limits(queue=2, body=10))
    with house.admitted(5), house.admitted(5):
        with pytest.raises(RequestError) as refused, house.admitted(0):
            pass
        assert (refused.value.status, refused.value.retry_after) == (503, 2)
    with pytest.raises(RequestError), house.admitted(641):
        pass
    assert (house.requests, house.held) == (0, 0)


def test_turns_come_in_order_and_as_far_as_there_is_room():
    async def run() -> None:
        house = AdmissionController(Limits(concurrent=3, body=10))  # 40 bytes at a time
        order: list[int] = []
        most = 0

        async def work(number: int, size: int) -> None:
            nonlocal most
            async with house.turn(size):
                order.append(number)
                most = max(most, house.working)
                assert house._busy <= 40 or house.working == 1
                await asyncio.sleep(0.001)

        sizes = [10, 10, 10, 10, 40, 0, 50, 1]
        tasks = [asyncio.create_task(work(number, size)) for number, size in enumerate(sizes)]
        await asyncio.sleep(0)
        tasks[5].cancel()  # it still waits
        await asyncio.gather(*tasks, return_exceptions=True)
        assert order == [0, 1, 2, 3, 4, 6, 7]
        assert (most, house.working, house._busy, len(house._waiting)) == (3, 0, 0, 0)

    asyncio.run(run())


def test_who_is_cancelled_in_the_moment_of_its_turn_gives_it_back():
    async def run() -> None:
        house = AdmissionController(Limits(concurrent=1))

        async def work() -> None:
            async with house.turn(1):
                await asyncio.sleep(0)

        async with house.turn(1):
            waiting = asyncio.create_task(work())
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert (house.working, house._busy) == (0, 0)

    asyncio.run(run())
