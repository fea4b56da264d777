"""`python -m timewalk.cli`."""

from timewalk.cli.app import main

if __name__ == "__main__":
    main()
