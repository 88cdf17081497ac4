"""The command line as a module: ``python -m concord``."""

from concord.cli.app import main

main()
