"""`python -m panparser`."""

from panparser.cli import main

main()
