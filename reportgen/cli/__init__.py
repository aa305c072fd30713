"""The command line: `main` prints every error; one thin module a command, imported when it runs."""
