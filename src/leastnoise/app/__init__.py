"""The explorer: a page that shows the laws of all mechanisms on a PUBLIC or synthetic file.

``explorer`` is the notebook that marimo serves, ``view`` what it shows, ``serve`` starts and stops
it (extra: app). All of it looks at data, so nothing of it is private.
"""
