"""Recipes: everything that determines a model as a TOML file, and what runs it."""

from panparser.learning.listeners import RunListener as RunListener
from panparser.learning.listeners import RunStep as RunStep
from panparser.recipes.cascade_recipe import CascadeRecipe as CascadeRecipe
from panparser.recipes.recipe import Recipe as Recipe
from panparser.recipes.recipe_files import read_recipe as read_recipe
from panparser.recipes.recipe_run import CrossValidationScores as CrossValidationScores
from panparser.recipes.recipe_run import RecipeResult as RecipeResult
from panparser.recipes.recipe_run import SeedScore as SeedScore
from panparser.recipes.recipe_run import run_recipe as run_recipe

__all__: list[str]
