"""A result as text: the answer on the terminal, Markdown for tickets, CSV of the hardware list, JSON, explanations."""
