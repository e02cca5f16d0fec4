"""read_recipe: the recipe of a file, whatever it makes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from panparser.recipes.recipe import Recipe
from panparser.recipes.sections import is_cascade

if TYPE_CHECKING:
    from panparser.recipes.cascade_recipe import CascadeRecipe


def read_recipe(path: str | os.PathLike[str]) -> Recipe | CascadeRecipe:
    """The recipe of a file: that of a cascade if it has stages."""
    if not is_cascade(path):
        return Recipe.read(path)
    from panparser.recipes.cascade_recipe import CascadeRecipe

    return CascadeRecipe.read(path)
