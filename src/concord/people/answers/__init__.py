"""Answers as distributions: do an agent's answers vary, spread and differ between persons as people's do?"""
