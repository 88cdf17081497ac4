"""A small study as text, for tests that break one thing at a time."""

STUDY = """\
format: 1
study: coins
title: Coins
domain: Cognition
source: {authors: "Somebody, A.", year: 2001, title: On coins, published: "Journal, 1(1), 1-2"}
population:
  describes: a person
  age: {min: 20, max: 30}
  fields:
    sex: {female: 0.5, male: 0.5}
about: {design: Two groups see a coin.}
experiments:
  toss:
    participants: {n: 20}
    factors:
      metal:
        levels:
          gold: {word: golden, worth: 10}
          iron: {word: rusty, worth: 1}
    items:
      side: {type: choice, ask: "Heads or tails?", options: {heads: Heads, tails: Tails}}
      value: {type: number, ask: "Its value?", min: 0, max: 100, unit: dollars}
    steps:
      - text: "You see a {metal.word} coin."
        ask: [side]
      - text: "You said {answer.side}."
        ask: [value]
    derived:
      double: 2 * value
findings:
  F1:
    says: Gold is worth more.
    tests:
      - name: value
        experiment: toss
        test: t-independent
        outcome: value
        groups: {by: metal}
        human: {statistic: 2.5, n1: 20, n2: 20, located: {at: "p. 2, Table 1"}, source: "t of the two means"}
"""
