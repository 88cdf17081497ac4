"""Tables of tests as people make them by hand: titles, merged cells, means, counts, printed statistics."""
