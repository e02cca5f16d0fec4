"""The pages of the server: parsing at `/`, derivations at `/step`."""

from __future__ import annotations

from panparser.pages.page import LivePage
from panparser.pages.site import site

WEBSITE = site(
    {
        "/": LivePage("panparser", "serve", also=("form",), skip=("result",)),
        "/step": LivePage("Step through a derivation", "live", also=("form", "step"), skip=("step",)),
    }
)
