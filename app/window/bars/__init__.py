"""Bars: what stands round the pictures: commands, classes, the data set, the options of the tool; and the tools."""
